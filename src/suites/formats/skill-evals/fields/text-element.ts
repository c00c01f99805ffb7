import { checkRelativePath } from '../../../../documents/relative-path.ts'
import { singleSpaced } from '../../../../texts.ts'
import { forbids, kindOf, type How } from './check-kinds.ts'
import { makeCheck } from './make-check.ts'
import type { FieldPath, ReadDocument } from '../../../../documents/document.ts'
import type { Issue, Position } from '../../../../documents/issue.ts'
import type { DeclaredCheck, Statement } from '../../../suite.ts'

/** What one element of a list of expectations became. */
export interface Element {
  readonly statement?: Statement
  readonly check?: DeclaredCheck
  readonly checks?: readonly DeclaredCheck[]
  readonly context?: Described
  readonly issues?: readonly Issue[]
}

/** A good result as a whole, and the field of the entry that describes it. */
export interface Described extends Statement {
  readonly document: ReadDocument
  readonly field: FieldPath
}

/** A sentence for the judge, or a file that has to exist. */
export function textElement(text: string, at: Position, how: How): Element {
  const tidy = singleSpaced(text)
  if (how === 'file') return fileElement(tidy, at)
  const [, kind = '', value = ''] = PREFIXED.exec(tidy) ?? []
  const asked = kind === '' ? null : kindOf(kind.replaceAll('_', '-').replace('matches', 'regex'), how)
  const made = asked === null ? null : makeCheck(asked, { value }, { at, says: tidy })
  if (made !== null && 'check' in made) return made
  if (how === 'required' || (how === 'denied' && DENIAL.test(tidy))) return { statement: { text: tidy, at } }
  return {
    statement: { text: `${forbids(how) ? 'This must not be the case' : 'This must be included'}: ${tidy}`, at },
  }
}

// "Does not guess" and "The answer never guesses" say what must hold.
const DENIAL =
  /^(?:(?:the|its?|an?) )?(?:\w+ )?(?:cannot|can't|did not|didn't|do not|does not|doesn't|don't|must not|never|should not|shouldn't)\b/i

// No blank after the colon, so it is no sentence.
const PREFIXED = /^((?:not[-_])?(?:contains|matches|regex)|file[-_]exists):(\S.*)$/

/** A file that has to exist; a sentence where its path is none. */
export function fileElement(path: string, at: Position): Element {
  if (/\s/.test(path) || checkRelativePath(path) !== null) return { statement: { text: path, at } }
  return { check: { kind: 'file-exists', value: path, at } }
}
