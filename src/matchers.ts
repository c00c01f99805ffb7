import './vitest/matchers/arguments.ts'

export * from './vitest/matchers/matchers.ts'
