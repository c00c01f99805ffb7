import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { meaningOf } from '../../../../src/cli/list/list-meaning.ts'
import { ENTRY_FIELDS } from '../../../../src/suites/formats/skill-evals/skill-entry.ts'
import { COMMON_FIELDS, SHARED_FIELDS } from '../../../../src/suites/formats/skill-evals/shared-fields.ts'
import {
  ACCEPTED_FIELDS,
  ARTIFACT_FIELDS,
  AVOIDED_FIELDS,
  CONTEXT_FIELDS,
  DIRECTION_FIELDS,
  DISABLED_FIELDS,
  EACH_FIELDS,
  ELEMENT_FIELDS,
  FORBIDDEN_FIELDS,
  MATERIAL_FIELDS,
  PERMITTED_FIELDS,
  PROMPT_FIELDS,
  REASON_FIELDS,
  ROUTE_FIELDS,
  SUBJECT_FIELDS,
} from '../../../../src/suites/formats/skill-evals/fields/skill-fields.ts'
import { FOLLOW_UP_FIELDS, TURN_FIELDS } from '../../../../src/suites/formats/skill-evals/turns.ts'
import {
  INPUT_FIELDS,
  PLACE_FIELDS,
  POSSIBLE_INPUT_FIELDS,
} from '../../../../src/suites/formats/skill-evals/fields/file-fields.ts'
import { parseSkillSuite } from '../../../../src/suites/formats/skill-evals/skill-suite.ts'
import type { Suite } from '../../../../src/suites/suite.ts'

const skillOf = (name: string): { readonly name: string; readonly dir: string; readonly projectRoot: string } => {
  return { name, dir: `/p/skills/${name}`, projectRoot: '/p' }
}
const skill = { ...skillOf('notes'), evalsDir: '/p/skills/notes/evals' }
const skills = [skill, skillOf('letters'), skillOf('plans')]

function parse(value: unknown): Suite {
  const options = { file: '/p/skills/notes/evals/evals.json', packageRoot: '/p', skill, skills }
  return parseSkillSuite(JSON.stringify(value), options)
}

// Every text is another one, so that it is known by itself wherever it turns up.
let count = 0
const word = (): string => `zq${(count += 1)}qz`
const fresh = fc.constant(null).map(word)
const name = fc.constantFrom('notes', 'letters', 'plans')
const several = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> =>
  fc.oneof(one, fc.uniqueArray(one, { minLength: 1, maxLength: 2 }))

const element = fc.oneof(
  fresh,
  fc.record({ text: fresh, weight: fc.integer() }),
  fc.record({ text: fresh, retired: fc.oneof(fresh, fc.boolean()) }),
  fc.record({ type: fc.constant('regex'), pattern: fresh }),
  fc.record({ type: fc.constant('contains'), value: fresh, text: fresh }),
  fc.record({ name: fresh, description: fresh, path: fresh }),
  fc.record({
    type: fc.constant('contains_any'),
    values: fc.array(fresh, { minLength: 2, maxLength: 2 }),
    owner: fresh,
  }),
  fc.record({ any: fc.array(fresh, { minLength: 1, maxLength: 2 }), text: fresh }),
  fc.record({ type: fc.constant('file_exists'), path: fresh, expected: fc.boolean(), dimension: fresh }),
)
const texts = fc.oneof(fresh, fc.array(fresh, { minLength: 1, maxLength: 2 }))
const elements = fc.oneof(
  fresh,
  fc.array(element, { minLength: 1, maxLength: 2 }),
  fc.record({ must: fresh }),
  fc.record({ contains: texts, required_markers: texts, must_not_name: texts, limit: amountOf(5000), whose: fresh }),
)
// What an entry holds may be held by an object in it, with fields of the author's own.
const holder = fc.record(
  { description: fresh, assertions: elements, must_not: texts, must_preserve: texts, artifacts: texts, owner: fresh },
  { requiredKeys: ['assertions'] },
)
// What an author expects by a name and a value, and settings beside it.
const facts = {
  maximum_pages: amountOf(5000),
  asks_first: fc.boolean(),
  languages: texts,
  handoff: fc.record({ format: fresh, signed: fc.boolean(), weight: amountOf(5000) }),
  priority: fresh,
}
const sentence = fresh.map((one) => `It ${one} is.`)
const turn = fc.oneof(
  fresh,
  fc.record({ role: fc.constant('user'), content: fresh, expectations: elements, owner: fresh }),
  fc.record({ user: fresh, must_ask: texts, mood: fresh }),
)
const path = fresh.map((one) => `${one}.md`)
const file = fc.oneof(
  fc.record({ path, content: fc.constant('trigger'), owner: fresh }),
  fc.record({ source: path, to: path, owner: fresh }),
)
const share = fc.constantFrom(0.125, 0.375, 0.625)

function amountOf(min: number): fc.Arbitrary<number> {
  return fc.integer({ min, max: min + 4000 })
}

const amount = fc.integer({ min: 2, max: 99 })

function all<T>(fields: readonly string[], value: fc.Arbitrary<T>): Record<string, fc.Arbitrary<T>> {
  return Object.fromEntries(fields.map((field) => [field, value]))
}

const known: Record<string, fc.Arbitrary<unknown>> = {
  ...all(PROMPT_FIELDS, fresh),
  ...all(ELEMENT_FIELDS, elements),
  ...all(FORBIDDEN_FIELDS, elements),
  ...all(CONTEXT_FIELDS, fc.oneof(fresh, holder, fc.array(fresh, { minLength: 1, maxLength: 2 }))),
  ...all(ARTIFACT_FIELDS, fc.array(fresh, { minLength: 1, maxLength: 2 })),
  ...all(DIRECTION_FIELDS, fc.oneof(fc.boolean(), name)),
  ...all(
    ROUTE_FIELDS,
    fc.oneof(
      name,
      fc.constant(null),
      fc.constantFrom('trigger', 'no-trigger', 'none', true, false),
      fresh.map((one) => `It ${one}`),
    ),
  ),
  ...all(
    ['expect', 'expected'],
    fc.oneof(
      name,
      fc.array(
        fresh.map((one) => `It ${one}`),
        { minLength: 1, maxLength: 2 },
      ),
      fc.record(
        { skill: name, must_contain: texts, must_ask: texts, contains: texts, behavior: fresh, mode: fresh, ...facts },
        { requiredKeys: [] },
      ),
    ),
  ),
  expected_skill: fc.oneof(name, fc.constant(null)),
  expect_skill: fc.oneof(name, fc.constant(null)),
  ...all(EACH_FIELDS, several(name)),
  ...all(PERMITTED_FIELDS, several(name)),
  ...all(ACCEPTED_FIELDS, several(name)),
  ...all(AVOIDED_FIELDS, several(name)),
  must_not_trigger: fc.oneof(several(name), fc.boolean()),
  ...all(SUBJECT_FIELDS, several(name)),
  ...all(DISABLED_FIELDS, fc.oneof(fc.boolean(), fresh)),
  enabled: fc.boolean(),
  ...all(REASON_FIELDS, fresh),
  ...all(['name', 'title', 'description', 'category', 'eval_name', 'slug', 'case_id', 'test_id'], fresh),
  ...all(['id', 'eval_id'], fc.oneof(fresh, fc.integer({ min: 1000, max: 9999 }))),
  tags: several(fresh),
  state_prefix: fresh,
  ...all(MATERIAL_FIELDS, fresh),
  files: fc.array(fc.oneof(fresh, fc.record({ path: fresh, content: fc.constant('trigger') })), {
    minLength: 1,
    maxLength: 2,
  }),
  timeout: amount,
  runs: amount,
  runs_per_query: amount,
  ...all(['threshold', 'pass_threshold', 'trigger_threshold'], share),
}

// Read by the words of their names, as messages, or under another spelling.
const further: Record<string, fc.Arbitrary<unknown>> = {
  ...all(['must_preserve', 'must_not_invent', 'should_mention', 'required_output', 'forbidden_claims'], texts),
  ...all(['failure_conditions', 'redFlags', 'anti_patterns', 'expected_route', 'expect_mode'], texts),
  ...all(['deterministic_assertions', 'manual_checks', 'qualityCriteria'], elements),
  must_include_one_of: fc.array(fc.array(fresh, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  must_refuse: fc.boolean(),
  ...all(
    ['must_match', 'must_not_match'],
    fc.array(fc.record({ pattern: fresh, why: fresh }), { minLength: 1, maxLength: 2 }),
  ),
  ...all(['must_pick', 'must_load', 'expected_choice'], fc.oneof(several(name), fresh)),
  ...all(['anti_expectations', 'negative_assertions', 'exact_output'], texts),
  input: fc.oneof(sentence, fc.record({ body: sentence, notes: texts }), fc.record({ query: sentence, lang: fresh })),
  ...all(['pressure_prompt', 'user', 'checker'], fc.oneof(fresh, sentence)),
  ...all(['failure_mode', 'failure', 'failure_indicators'], texts),
  validation: fc.oneof(fresh, fc.record({ ...facts, command: fresh, must_ask: texts }, { requiredKeys: [] })),
  focus: texts,
  expected_file_reads: texts,
  ...all(['required_pages', 'expected_score'], amountOf(5000)),
  ...all(['context', 'situation', 'scenario'], fc.oneof(fresh, sentence)),
  ...all([...INPUT_FIELDS, ...POSSIBLE_INPUT_FIELDS], fc.oneof(path, fc.array(fc.oneof(path, fresh, file)))),
  ...all(PLACE_FIELDS, fc.oneof(fresh, path, sentence, fc.record({ files: fc.array(file), owner: fresh }))),
  fixture: fc.oneof(fresh, fc.record({ source: sentence, form: fresh })),
  invocation: fc.oneof(
    fresh,
    fresh.map((one) => `/${one}`),
  ),
  ...all(['mustInclude', 'must-not', 'expectedOutcomes'], texts),
  ...all(TURN_FIELDS, fc.array(turn, { minLength: 1, maxLength: 2 })),
  ...all(FOLLOW_UP_FIELDS, texts),
  ...all(['author', 'kind_of_thing', 'machine_checks', 'expected_reason', 'limits'], fc.oneof(fresh, holder)),
}

const fieldsOf: Record<string, fc.Arbitrary<unknown>> = { ...known, ...further }

// A few fields at once, as an entry has them. Without a prompt its messages are what is asked.
const entry = fc
  .tuple(fc.uniqueArray(fc.constantFrom(...Object.keys(fieldsOf)), { maxLength: 6 }), fc.integer({ min: 0, max: 4 }))
  .chain(([names, chance]) => {
    const hasTurns = names.some((one) => (TURN_FIELDS as readonly string[]).includes(one))
    const asked = chance === 0 && hasTurns ? names : ['prompt', ...names]
    return fc.record(Object.fromEntries(asked.map((one) => [one, fieldsOf[one] ?? fresh])))
  })

test('the generated entries have every field that is read', () => {
  expect([...ENTRY_FIELDS].filter((field) => !Object.hasOwn(known, field))).toEqual([])
})

test('every field of an entry is in the list or named in a note', () => {
  fc.assert(
    fc.property(entry, (fields) => {
      const suite = parse([fields])
      // What is wrong is an error of the file, which names it.
      if (suite.cases.length === 0) return
      for (const [field, value] of Object.entries(fields)) {
        // A contradiction is named once, and leaves nothing of the routing.
        const isVoid = suite.cases.some(({ broken }) => broken !== undefined) && ROUTING.has(field)
        if (isNamed(suite, field) || value === null || isVoid) continue
        const shown = JSON.stringify(
          suite.cases.map((one) => [meaningOf(suite, one), one.id, one.name, one.runs, one.trigger]),
        )
        for (const leaf of leavesOf(value)) {
          if (typeof leaf === 'boolean') continue
          const isShown = shown.includes(String(leaf)) || isNamed(suite, field, String(leaf))
          expect(isShown || isDirection(leaf), `${field} ${String(leaf)} of ${JSON.stringify(fields)}: ${shown}`).toBe(
            true,
          )
        }
      }
    }),
    {
      numRuns: 2000,
      // They have once been lost.
      examples: [
        [{ prompt: 'zq1qz', expect_trigger: false, optional_skills: ['plans'], expected_skill: null }],
        [{ prompt: 'zq1qz', should_trigger: true, threshold: 0.125, trigger_threshold: 0.375 }],
        [{ prompt: 'zq1qz', should_trigger: true, runs: 97, runs_per_query: 89 }],
      ],
    },
  )
})

test('of two fields of a file with one meaning the one that does not count is named', () => {
  const pairs = [
    ['runs_per_query', 7, 'runs', 9],
    ['trigger_threshold', 0.125, 'threshold', 0.375],
  ] as const
  for (const [used, one, unused, other] of pairs) {
    const suite = parse({ [used]: one, [unused]: other, should_trigger: ['q'] })
    expect(JSON.stringify(suite.cases.map(({ trigger }) => trigger))).toContain(String(one))
    expect(suite.issues.map(({ field }) => field)).toEqual([unused])
  }
  const mixed = parse({
    runs_per_query: 7,
    runs: 9,
    should_trigger: ['q'],
    evals: [{ id: 1, prompt: 'p', must: ['e'] }],
  })
  expect(mixed.cases.map(({ runs, trigger }) => trigger?.runs ?? runs)).toEqual([9, 7])
  expect(mixed.issues.some(({ field }) => field === 'runs')).toBe(false)
})

test('a field decides what an entry means, or is named', () => {
  const flags = [...DIRECTION_FIELDS, ...DISABLED_FIELDS, 'must_not_trigger']
  fc.assert(
    fc.property(entry, fc.constantFrom(...flags), fc.boolean(), (fields, flag, value) => {
      const { [flag]: _, ...others } = fields as Record<string, unknown>
      const [with_, without] = [parse([{ ...others, [flag]: value }]), parse([others])]
      // What is wrong is an error of the file, which names it.
      if (with_.cases.length === 0) return
      const meaning = (suite: Suite): string =>
        JSON.stringify(suite.cases.map((one) => [meaningOf(suite, one), one.broken]))
      const isNeutral = (flag === 'enabled') === value && (DISABLED_FIELDS as readonly string[]).includes(flag)
      const repeats = meaning(with_) === meaning(without) && !isNamed(with_, flag) && !isNeutral
      // What another field says already may be said again.
      const isSaid = Object.keys(others).some(
        (key) => ROUTING.has(key) || [...flags, ...REASON_FIELDS].some((one) => one === key),
      )
      expect(repeats && !isSaid, JSON.stringify([fields, flag, value])).toBe(false)
    }),
    { numRuns: 500 },
  )
})

test('every field of a file is used by some case or named in a note', () => {
  const values: Record<string, unknown> = {
    skill_name: 'notes',
    skillName: 'plans',
    skill: 'letters',
    skills: ['plans'],
    ...Object.fromEntries(COMMON_FIELDS.map((field) => [field, ['zqcommonqz']])),
    timeout: 77,
    runs: 5,
    runs_per_query: 6,
    threshold: 0.125,
    pass_threshold: 0.375,
    trigger_threshold: 0.625,
    disabled: 'zqoffqz',
  }
  expect([...SHARED_FIELDS].filter((field) => !Object.hasOwn(values, field))).toEqual([])
  const lists = { evals: [{ id: 1, prompt: 'p', expectations: ['e'] }], should_trigger: ['q'] }
  for (const [field, value] of Object.entries({ ...values, author: 'zqauthorqz' })) {
    for (const held of [lists, { evals: lists.evals }, { should_trigger: lists.should_trigger }]) {
      const suite = parse({ [field]: value, ...held })
      const runs = suite.cases.map((one) => [meaningOf(suite, one), one.runs, one.trigger])
      const isShown = JSON.stringify(runs).includes(value)
      expect(isShown || isNamed(suite, field), `${field} beside ${Object.keys(held).join()}`).toBe(true)
    }
  }
})

function isNamed({ issues }: Suite, field: string, text = field): boolean {
  return issues.some((issue) => issue.field.split('.').includes(field) || issue.message.includes(text))
}

function leavesOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}

const ROUTING: ReadonlySet<string> = new Set([
  ...DIRECTION_FIELDS,
  ...ROUTE_FIELDS,
  ...ACCEPTED_FIELDS,
  ...AVOIDED_FIELDS,
  'must_not_trigger',
  ...EACH_FIELDS,
  ...PERMITTED_FIELDS,
  // They name skills as well.
  'must_pick',
  'must_load',
  'expected_choice',
])

// What a word such as "trigger" says is seen in the direction.
function isDirection(leaf: unknown): boolean {
  return ['trigger', 'no-trigger', 'none', 'regex', 'contains'].includes(String(leaf))
}
