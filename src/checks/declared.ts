import type { DeclaredCheck } from '../suites/suite.ts'

/** The declared checks of one kind. */
export type Declared<Kind extends DeclaredCheck['kind']> = Extract<DeclaredCheck, { kind: Kind }>
