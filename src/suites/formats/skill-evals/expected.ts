import { documentAt, noEffectAt, type ReadDocument } from '../../../documents/document.ts'
import { isJsonObject } from '../../../json.ts'
import { isCheckType, readElements, type Element } from './elements.ts'
import { unknownField } from './fields.ts'
import { roleOf, ROLES, type Role, type SettledFields } from './vocabulary.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { Criteria, Statement } from '../../suite.ts'

/** What a field expects, and what of it only describes a good result. */
export interface Expected {
  readonly elements: readonly Element[]
  readonly context: readonly Described[]
}

/** A good result as a whole. */
interface Described extends Statement {
  readonly document: ReadDocument
}

/** Reads a field that holds expectations. */
export function readExpected(document: ReadDocument, role: ExpectRole, settled: SettledFields): Expected {
  const { value } = document
  const isHolder = isJsonObject(value) && Object.keys(value).some((name) => expectRole(name, settled) !== null)
  return isHolder ? readHeld(document, settled) : { elements: readElements(document, role), context: [] }
}

/** Reads a good result: a text or several, or an object that holds what an entry holds. */
export function readContext(document: ReadDocument, settled: SettledFields): Expected {
  const { value } = document
  if (isJsonObject(value)) return readHeld(document, settled)
  const texts = [value as string | readonly string[]].flat()
  const context = texts.flatMap((text, index): readonly Described[] => {
    const at = document.positionOf(Array.isArray(value) ? [index] : [])
    return text.trim() === '' ? [] : [{ text, at, document }]
  })
  return { elements: [], context }
}

function readHeld(document: ReadDocument, settled: SettledFields): Expected {
  const found = Object.entries(document.value as object).map(([name, value]: readonly [string, unknown]): Expected => {
    const inner = documentAt(document, [name])
    const role = expectRole(name, settled)
    if (role !== null) return { elements: readElements(inner, role), context: [] }
    if (isCheckType(name))
      return { elements: readElements({ ...document, value: { [name]: value } }, ROLES.must), context: [] }
    const describes = ROLES[roleOf(name, 'entry', settled) ?? 'ignore']
    const isDescription = describes.as === 'context' || (describes.as === 'label' && describes.of === 'description')
    if (isDescription && typeof value === 'string') return readContext(inner, settled)
    const isKnown = /^[$_]/.test(name) || roleOf(name, 'entry', settled) === 'ignore'
    return { elements: isKnown ? [] : [{ issues: [unknownField(document, name, value)] }], context: [] }
  })
  return { elements: found.flatMap(({ elements }) => elements), context: found.flatMap(({ context }) => context) }
}

type ExpectRole = Extract<Role, { readonly as: 'expect' }>

function expectRole(name: string, settled: SettledFields): ExpectRole | null {
  const known = roleOf(name, 'entry', settled)
  const role: Role | null = known === null ? null : ROLES[known]
  return role?.as === 'expect' ? role : null
}

interface Judged {
  readonly criteria: Criteria | null
  readonly issues: readonly Issue[]
}

/** What the judge is asked. The description of a good result is judged where nothing else is, and context where something is. */
export function judged(elements: readonly Element[], isChecked: boolean, context: readonly Described[]): Judged {
  const all = elements.flatMap(({ statement }) => statement ?? [])
  const listed = all.filter(({ text }, index) => all.findIndex((other) => other.text === text) === index)
  const [first] = context
  if (listed.length === 0 && isChecked) {
    const message = 'has no effect: only checks are expected, so no judge is asked'
    return { criteria: null, issues: context.map(({ document }) => noEffectAt(document, [], message)) }
  }
  const implied = context.filter(({ document }) => document === first?.document)
  const statements =
    listed.length > 0 ? listed : implied.map(({ text, at }): Statement => ({ text, at, implied: true }))
  const [asked] = statements
  if (asked === undefined) return { criteria: null, issues: [] }
  const shown = (listed.length > 0 ? context : context.filter((one) => !implied.includes(one))).map(({ text }) => text)
  const text = statements.map((statement) => `- ${statement.text}`).join('\n')
  return { criteria: { text, at: asked.at, statements, ...(shown.length === 0 ? {} : { context: shown }) }, issues: [] }
}
