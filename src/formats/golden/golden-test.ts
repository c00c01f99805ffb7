import { basename, dirname, join, sep } from 'node:path'
import { z } from 'zod'
import { errorIn, warningAt, warningIn, valueAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readFrontMatter } from '../../lib/documents/read-document.ts'
import { validate, type Validated } from '../../lib/documents/validate.ts'
import { PLAIN_CASE, type AgentUnderTest, type EvalCase, type GoldenTest, type RequiredScore } from '../suite.ts'
import { checkAgentName, findSection, splitSections, textPosition, type Section } from './sections.ts'
import { existsSync } from 'node:fs'
import { readText } from '../../lib/documents/read-text.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { discover, type Discovered } from '../discover.ts'

type GoldenCase = Extract<EvalCase, { kind: 'golden' }>

const segment = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'must be letters, digits, dots, dashes and underscores')

const goldenSchema = z.strictObject({
  schema_version: z.literal(1).optional(),
  agent: z.string().optional(),
  category: segment,
  test_id: segment,
  created: z.string().optional(),
  setup: z.literal('send').optional(),
  expected_facts: z
    .array(
      z.strictObject({
        claim: z.string().min(1),
        source: z.string().min(1).optional(),
        expected_value: z.union([z.string(), z.number(), z.boolean()]).transform(String).optional(),
      }),
    )
    .default([]),
})
type GoldenFields = z.infer<typeof goldenSchema>

/** Reads one golden test. Pure: whether the sources of its facts exist is not looked at. */
export function parseGoldenTest(text: string, file: string, agent: AgentUnderTest): Validated<GoldenCase> {
  const { document, body, bodyLine, issues: broken } = readFrontMatter(text, file)
  if (document === null) {
    const issues = broken.length > 0 ? broken : [errorIn(file, 'front-matter', NO_FRONT_MATTER)]
    return { value: null, issues }
  }
  const { value, issues } = validate(document, goldenSchema)
  if (value === null) return { value, issues }

  const sections = splitSections(body, bodyLine)
  const input = findSection(sections, /^input\b/i)
  const question = unquote(input?.text ?? '')
  if (input === null || question === '')
    return { value: null, issues: [...issues, errorIn(file, 'no-input', NO_INPUT)] }
  const expected = findSection(sections, /^expected behaviou?r\b/i)
  const criteria = findSection(sections, /^pass criteria\b/i)
  const setup = findSection(sections, /^setup\b/i)?.text ?? ''
  const golden: GoldenTest = {
    agent,
    testId: value.test_id,
    setup: setup === '' ? null : setup,
    input: question,
    expectedBehavior: expected?.text ?? '',
    passCriteria: criteria?.text ?? '',
    required: readRequired(criteria?.text ?? '', agent.rubric),
    expectedFacts: value.expected_facts.map(({ claim, source = null, expected_value: expectedValue = null }, index) => {
      const at = document.positionOf(['expected_facts', index, ...(source === null ? [] : ['source'])])
      return { claim, source, expectedValue, at }
    }),
  }
  return {
    value: toCase(value, golden, { document, input, criteria: criteria ?? expected ?? input, agent }),
    issues: [
      ...issues,
      ...findRepeated(sections, file),
      ...(expected === null ? [missing(file, 'Expected behavior')] : []),
      ...(criteria === null ? [missing(file, 'Pass criteria')] : []),
      ...checkPlace(value, document, agent),
      ...checkFacts(value, file, agent),
    ],
  }
}

/**
 * Reads the scores that pass criteria ask for: `name: 5`, `name: >= 4`, `name: ≥ 4` and `name >= 4`, with any remark behind.
 * Every other line is text for the judge. "No hard fails" asks for nothing more: each hard fail fails a test.
 */
function readRequired(criteria: string, { dimensions }: AgentUnderTest['rubric']): readonly RequiredScore[] {
  return criteria.split('\n').flatMap((line) => {
    const [, name, number] = CRITERION.exec(line) ?? []
    const least = Number(number)
    const dimension = dimensions.find((one) => one.name.toLowerCase() === name?.toLowerCase())
    return dimension !== undefined && least >= 1 && least <= 5 ? [{ dimension: dimension.name, least }] : []
  })
}

const CRITERION = /^\s*(?:[-*+]\s+)?([a-z][\w-]*)(?::\s*(?:≥|>=)?|\s*>=)\s*(\d(?:\.\d+)?)(?![\w%-]|\.\d)/i

// Only the first of two is read: what the other says would be lost.
function findRepeated(sections: readonly Section[], file: string): readonly Issue[] {
  return READ_SECTIONS.flatMap((name) => {
    const [first, ...others] = sections.filter(({ heading }) => name.test(heading))
    return others.map(({ heading, line }) => {
      const message = `duplicate section "## ${heading}"; only that at line ${first?.line ?? 1} is read; merge them`
      return warningIn(file, 'section-repeated', message, { line, column: 1 })
    })
  })
}

const READ_SECTIONS = [/^setup\b/i, /^input\b/i, /^expected behaviou?r\b/i, /^pass criteria\b/i]

const NO_FRONT_MATTER = 'the test starts with no front matter; begin it with ---, category and test_id'
const NO_INPUT = 'there is no section "## Input" with something to ask the agent'

interface Parts {
  readonly document: ReadDocument
  readonly input: Section
  readonly criteria: Section
  readonly agent: AgentUnderTest
}

function toCase(value: GoldenFields, golden: GoldenTest, parts: Parts): GoldenCase {
  const id = `${value.category}/${value.test_id}`
  return {
    id,
    name: id,
    ...PLAIN_CASE,
    target: { kind: 'agent', name: parts.agent.name },
    prompt: promptOf(value, golden),
    criteria: {
      text: golden.passCriteria,
      at: textPosition(parts.criteria),
      context: [golden.expectedBehavior],
    },
    tags: [value.category],
    category: value.category,
    at: parts.document.positionOf(['test_id']),
    promptAt: textPosition(parts.input),
    kind: 'golden',
    golden,
  }
}

// The section describes the vault to people. Sent, it would tell the agent what to look for.
function promptOf({ setup }: GoldenFields, golden: GoldenTest): string {
  if (setup !== 'send' || golden.setup === null) return golden.input
  return `${SETUP}\n\n${golden.setup}\n\n---\n\n${golden.input}`
}

// As the runner of the format words it.
const SETUP = '[EVAL SETUP CONTEXT — vault state assumed for this test]'

function missing(file: string, heading: string): Issue {
  return warningIn(file, 'section-missing', `there is no section "## ${heading}"; the judge has no guidance`)
}

function checkPlace({ agent: named, category }: GoldenFields, document: ReadDocument, agent: AgentUnderTest): Issue[] {
  const folder = dirname(document.file)
  const differs = basename(dirname(folder)) === 'golden' && basename(folder) !== category
  const message = `differs from the folder "${basename(folder)}"`
  return [
    ...checkAgentName(named, document, agent.name),
    ...(differs ? [warningAt(document, ['category'], 'category-differs', message)] : []),
  ]
}

function checkFacts({ expected_facts: facts }: GoldenFields, file: string, { model }: AgentUnderTest): Issue[] {
  if (!model.expectedFactsRequired || facts.length > 0) return []
  const message = 'model.md asks every golden test for expected_facts, and this one declares none'
  return [warningIn(file, 'no-expected-facts', message)]
}

/** What a section says that is written as a quotation: without the marks of the block and the quotes around it all. */
function unquote(text: string): string {
  const lines = text.split('\n')
  const isBlock =
    lines.every((line) => line.trim() === '' || QUOTED.test(line)) && lines.some((line) => QUOTED.test(line))
  const plain = (isBlock ? lines.map((line) => line.replace(QUOTED, '')) : lines).join('\n').trim()
  // Only with a block: quotes around a text that is not one may be the question's own.
  return isBlock ? withoutQuotes(plain) : plain
}

const QUOTED = /^ {0,3}> ?/

// With more quotes inside, the outer ones may not be a pair.
function withoutQuotes(text: string): string {
  const inner = text.slice(1, -1)
  const isPair = PAIRS.some(([open, close]) => text.startsWith(open) && text.endsWith(close) && text.length > 2)
  return isPair && !/["“”]/.test(inner) ? inner : text
}

const PAIRS = [
  ['"', '"'],
  ['“', '”'],
] as const

/** Finds the golden tests of agents below a folder. Links are not followed; an agent among other evals is a fixture. */
export function discoverGolden(root: string): Promise<Discovered> {
  const isOwn = (file: string): boolean => pathBelow(root, file)?.match(/(?:^|\/)evals\//g)?.length === 1
  return discover(root, GOLDEN_GLOBS, async (file) => isOwn(file) && isGoldenTest(file))
}

/** Where golden tests may lie. */
const GOLDEN_GLOBS = ['**/evals/golden/**/*.md', '**/evals/regressions/**/*.md']

/** The folder `evals` of the agent that owns a file at the place of a golden test; `null` for other places. */
export function evalsDirOf(file: string): string | null {
  const parts = file.split(sep)
  const at = parts.findLastIndex((name, index) => name === 'evals' && FOLDERS.has(parts[index + 1] ?? ''))
  const isTest = at > 0 && parts.length > at + 2 && file.endsWith('.md') && basename(file) !== 'README.md'
  return isTest ? parts.slice(0, at + 1).join(sep) : null
}

const FOLDERS: ReadonlySet<string> = new Set(['golden', 'regressions'])

/** Whether a file at such a place is a golden test: beside a rubric or a judge it is, else when it reads like one. */
export async function isGoldenTest(file: string): Promise<boolean> {
  const evalsDir = evalsDirOf(file)
  if (evalsDir === null) return false
  if (['rubric.md', 'judge.md'].some((name) => existsSync(join(evalsDir, name)))) return true
  const { text } = await readText(file)
  const value = text === null ? undefined : readFrontMatter(text, file).document?.value
  return valueAt(value, 'test_id') !== undefined && valueAt(value, 'category') !== undefined
}
