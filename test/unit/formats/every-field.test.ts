import { kindOf } from '../../../src/formats/kinds.ts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { meaningOf } from '../../../src/cli/output/list-meaning.ts'
import { parseSkillSuite } from '../../../src/formats/skill-evals/skill-suite.ts'
import {
  ENTRY_ROWS,
  FILE_ROWS,
  ROLES,
  normalise,
  type Role,
  type RoleName,
  type SettledFields,
} from '../../../src/formats/skill-evals/vocabulary.ts'
import type { Suite } from '../../../src/formats/suite.ts'

const skillOf = (name: string): { readonly name: string; readonly dir: string; readonly projectRoot: string } => {
  return { name, dir: `/p/skills/${name}`, projectRoot: '/p' }
}
const skill = { ...skillOf('notes'), evalsDir: '/p/skills/notes/evals' }
const skills = [skill, skillOf('letters'), skillOf('plans')]

function parse(value: unknown, settled: SettledFields = new Map()): Suite {
  const options = { file: '/p/skills/notes/evals/evals.json', packageRoot: '/p', skill, skills, settled }
  return parseSkillSuite(JSON.stringify(value), options)
}

function meanings(suite: Suite): readonly unknown[] {
  return suite.cases.map((one) => [
    meaningOf(suite, one),
    one.id,
    one.name,
    one.runs,
    kindOf(one).question(one),
    one.broken,
  ])
}

// Every text is another one, so that it is known by itself wherever it turns up.
let count = 0
const word = (): string => `zq${(count += 1)}qz`
const fresh = fc.constant(null).map(word)
const name = fc.constantFrom('notes', 'letters', 'plans')
const names = fc.oneof(name, fc.uniqueArray(name, { minLength: 1, maxLength: 2 }))
const texts = fc.oneof(fresh, fc.array(fresh, { minLength: 1, maxLength: 2 }))
const element = fc.oneof(
  fresh,
  fc.record({ text: fresh, weight: fc.integer({ min: 5000, max: 9000 }) }),
  fc.record({ type: fc.constant('regex'), pattern: fresh }),
  fc.record({ type: fc.constant('contains'), value: fresh, text: fresh }),
  fc.record({ name: fresh, description: fresh, path: fresh }),
  fc.record({
    type: fc.constant('contains_any'),
    values: fc.array(fresh, { minLength: 2, maxLength: 2 }),
    owner: fresh,
  }),
  fc.record({ type: fc.constant('file_exists'), path: fresh, expected: fc.boolean(), dimension: fresh }),
)
const elements = fc.oneof(
  fresh,
  fc.array(element, { minLength: 1, maxLength: 2 }),
  fc.record({ contains: texts, must_not: texts, must_not_name: texts, limit: fc.integer({ min: 5000, max: 9000 }) }),
)
const holder = fc.record({ description: fresh, assertions: elements, must_not: texts, owner: fresh })

function valueOf(role: Role): fc.Arbitrary<unknown> {
  switch (role.as) {
    case 'ask':
    case 'prefix':
    case 'ignore':
      return fresh
    case 'files':
      return fc.array(fc.oneof(fresh, fc.record({ path: fresh, content: fc.constant('trigger') })), { minLength: 1 })
    case 'expect':
      return role.of === 'judge' ? elements : texts
    case 'context':
      return fc.oneof(texts, holder)
    case 'direction':
      return fc.boolean()
    case 'route':
      return fc.oneof(names, fc.constant(null))
    case 'choice':
      return fc.oneof(names, fc.boolean(), fc.constantFrom('trigger', 'no-trigger', 'none', null), fresh.map(sentence))
    case 'subject':
      return names
    case 'skip':
      return fc.oneof(fc.boolean(), fresh)
    case 'label':
      return role.of === 'tags' ? texts : fresh
    case 'setting':
      return role.of === 'threshold' ? fc.constantFrom(0.125, 0.375, 0.625) : fc.integer({ min: 2, max: 99 })
    case 'list':
      return fc.constant([])
  }
}

function sentence(text: string): string {
  return `It ${text} is.`
}

const rows = ENTRY_ROWS.flatMap(({ role, names: own }) => own.map((field) => [field, ROLES[role] as Role] as const))
const known = new Map(rows)

// A few fields at once, as an entry has them.
const entry = fc
  .uniqueArray(fc.constantFrom(...known.keys()), { maxLength: 6 })
  .chain((fields) =>
    fc.record(
      Object.fromEntries(['prompt', ...fields].map((field) => [field, valueOf(known.get(field) ?? ROLES.prompt)])),
    ),
  )

test('every field of an entry is in the list or named in a note, or is a remark of its author', () => {
  fc.assert(
    fc.property(entry, (fields) => {
      const suite = parse([fields])
      // What is wrong is an error of the file, which names it.
      if (suite.cases.length === 0) return
      const shown = JSON.stringify(meanings(suite))
      const isBroken = suite.cases.some(({ broken }) => broken !== undefined)
      for (const [field, value] of Object.entries(fields)) {
        const as = known.get(field)?.as ?? 'ignore'
        // A contradiction is named once, and leaves nothing of the routing.
        const isVoid = isBroken && ['choice', 'direction', 'route'].includes(as)
        if (as === 'ignore' || isNamed(suite, field) || value === null || isVoid) continue
        for (const leaf of leavesOf(value)) {
          const isShown = shown.includes(String(leaf)) || isNamed(suite, field, String(leaf))
          const isWord = ['trigger', 'no-trigger', 'none', 'regex', 'contains'].includes(String(leaf))
          const says = `${field} ${String(leaf)} of ${JSON.stringify(fields)}: ${shown}`
          expect(isShown || isWord || typeof leaf === 'boolean', says).toBe(true)
        }
      }
    }),
    { numRuns: 2000 },
  )
})

test('the names of a row mean the same, in every spelling', () => {
  const spellings = [
    (field: string) => field.replaceAll('_', '-'),
    (field: string) => field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    (field: string) => field.toUpperCase(),
  ]
  for (const { role, names: own } of ENTRY_ROWS) {
    const [value] = fc.sample(valueOf(ROLES[role]), 1)
    const base = Object.entries({ id: 'a', prompt: 'p', expectations: ['e'] })
    const others = Object.fromEntries(base.filter(([field]) => known.get(field)?.as !== ROLES[role].as))
    const meant = (field: string): string =>
      JSON.stringify(meanings(parse([{ ...others, [field]: value }]))).replaceAll(`\\"${field}\\"`, 'field')
    for (const field of own.filter((one) => !one.startsWith('_'))) {
      expect(meant(field), field).toBe(meant(own[0] ?? ''))
      for (const spell of spellings) expect(meant(spell(field)), spell(field)).toBe(meant(field))
    }
  }
})

// Names that the table does not have: words of it and others, denied, with more before and behind, in every spelling.
const unknown = fc
  .record({
    denial: fc.constantFrom('', 'not_', 'no_', 'never_', 'negative_', 'anti_', 'non_', 'forbidden_', 'un'),
    prefix: fc.constantFrom('', 'must_', 'should_', 'expected_', 'required_', 'fail_', 'exclusion_', 'system_', 'my_'),
    stem: fc.constantFrom(
      'assertions',
      'criteria',
      'checks',
      'expectations',
      'tools',
      'behavior',
      'claims',
      'skill',
      'trigger',
    ),
    suffix: fc.constantFrom('', '_list', '_if', '_conditions', '_not'),
    isCamel: fc.boolean(),
  })
  .map(({ denial, prefix, stem, suffix, isCamel }) => {
    const all = `${denial}${prefix}${stem}${suffix}`
    return isCamel ? all.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : all
  })
  .filter((field) => !known.has(normalise(field)))

test('a name without a row changes no meaning and no polarity: it is a note, or an error as a slip', () => {
  const value = fc.oneof(texts, fc.boolean(), name, fc.array(fc.record({ text: fresh }), { minLength: 1 }))
  fc.assert(
    fc.property(entry, unknown, value, (fields, field, own) => {
      const [without, with_] = [parse([fields]), parse([{ ...fields, [field]: own }])]
      const issue = with_.issues.find((one) => one.field === `0.${field}`)
      expect(issue, field).toBeDefined()
      if (issue?.severity === 'error') expect(issue.message).toContain('Did you mean')
      else expect(meanings(with_)).toEqual(meanings(without))
    }),
    { numRuns: 2000 },
  )
})

test('a settled name means what a name of its role means', () => {
  const roles = Object.entries(ROLES) as readonly (readonly [RoleName, Role])[]
  for (const [role, { as }] of roles.filter(([, own]) => !['ignore', 'list'].includes(own.as))) {
    const [field] = ENTRY_ROWS.find((row) => row.role === role)?.names ?? []
    const [value] = fc.sample(valueOf(ROLES[role]), 1)
    const settled = parse([{ query: 'p', its_own: value }], new Map([['its_own', role]]))
    const unread = settled.issues.filter(({ field: at, message }) => at === '0.its_own' && message.includes('give it'))
    expect(unread, role).toEqual([])
    if (field === undefined || as === 'ask') continue
    const usual = parse([{ query: 'p', [field]: value }])
    const shown = (suite: Suite): string =>
      JSON.stringify(meanings(suite))
        .replaceAll('its_own', field)
        .replaceAll(/"(?:line|column)":\d+/g, '')
    expect(shown(settled), role).toBe(shown(usual))
  }
})

test('an entry means the same whatever is beside it and in whichever order its file has them', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 2, maxLength: 4 }), (entries) => {
      const named = entries.map((fields, index) => ({ ...fields, id: `c${index}` }))
      const meant = (suite: Suite): readonly string[] =>
        suite.cases
          .map((one) => JSON.stringify([one.id, meaningOf(suite, one), one.runs, kindOf(one).question(one)]))
          .toSorted()
      const alone = named.flatMap((fields) => meant(parse([fields]))).toSorted()
      expect(meant(parse(named))).toEqual(alone)
      expect(meant(parse(named.toReversed()))).toEqual(alone)
    }),
    { numRuns: 300 },
  )
})

test('of two settings of a file with one meaning the one that does not count is named', () => {
  const suite = parse({ runs_per_query: 7, runs: 9, should_trigger: ['q'] })
  expect(suite.cases.map((one) => kindOf(one).runs(one))).toEqual([7])
  expect(suite.issues.filter(({ field }) => field !== '').map(({ field }) => field)).toEqual(['runs'])
  const mixed = parse({
    runs_per_query: 7,
    runs: 9,
    should_trigger: ['q'],
    evals: [{ id: 1, prompt: 'p', checks: ['e'] }],
  })
  expect(mixed.cases.map((one) => kindOf(one).runs(one))).toEqual([7, 9])
  expect(mixed.issues).toEqual([])
})

test('every field of a file is used by some case or named in a note', () => {
  const values: Readonly<Partial<Record<Role['as'], unknown>>> = {
    subject: 'letters',
    expect: ['zqcommonqz'],
    skip: 'zqoffqz',
  }
  const lists = { evals: [{ id: 1, prompt: 'p', expectations: ['e'] }], should_trigger: ['q'] }
  for (const { role, names: own } of FILE_ROWS) {
    const { as } = ROLES[role]
    if (as === 'list' || as === 'ignore') continue
    const value = values[as] ?? (role.endsWith('threshold') ? 0.125 : 77)
    for (const held of [lists, { evals: lists.evals }, { should_trigger: lists.should_trigger }])
      for (const field of own) {
        const suite = parse({ [field]: value, ...held })
        const isShown = JSON.stringify(meanings(suite)).includes(JSON.stringify([value].flat()[0]).replaceAll('"', ''))
        expect(isShown || isNamed(suite, field), `${field} beside ${Object.keys(held).join()}`).toBe(true)
      }
  }
})

function isNamed({ issues }: Suite, field: string, text = field): boolean {
  return issues.some((issue) => issue.field.split('.').includes(field) || issue.message.includes(text))
}

// What an expectation is called, beside what it says, is for people.
function leavesOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  const isCalled = 'name' in value && 'description' in value
  return Object.entries(value).flatMap(([field, own]) => (isCalled && field === 'name' ? [] : leavesOf(own)))
}
