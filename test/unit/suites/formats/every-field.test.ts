import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { meaningOf } from '../../../../src/cli/list-meaning.ts'
import { ENTRY_FIELDS } from '../../../../src/suites/formats/skill-entry.ts'
import { SHARED_FIELDS } from '../../../../src/suites/formats/shared-fields.ts'
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
  PERMITTED_FIELDS,
  PROMPT_FIELDS,
  REASON_FIELDS,
  ROUTE_FIELDS,
  SUBJECT_FIELDS,
} from '../../../../src/suites/formats/skill-fields.ts'
import { parseSkillSuite } from '../../../../src/suites/formats/skill-suite.ts'
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
  fc.record({ type: fc.constant('regex'), pattern: fresh }),
  fc.record({ type: fc.constant('contains'), value: fresh, text: fresh }),
  fc.record({ name: fresh, description: fresh, path: fresh }),
)
const elements = fc.oneof(fresh, fc.array(element, { minLength: 1, maxLength: 2 }), fc.record({ must: fresh }))
const share = fc.constantFrom(0.125, 0.375, 0.625)
const amount = fc.integer({ min: 2, max: 99 })

function all<T>(fields: readonly string[], value: fc.Arbitrary<T>): Record<string, fc.Arbitrary<T>> {
  return Object.fromEntries(fields.map((field) => [field, value]))
}

const known: Record<string, fc.Arbitrary<unknown>> = {
  ...all(PROMPT_FIELDS, fresh),
  ...all(ELEMENT_FIELDS, elements),
  ...all(FORBIDDEN_FIELDS, elements),
  ...all(CONTEXT_FIELDS, fc.oneof(fresh, fc.record({ description: fresh, assertions: elements, owner: fresh }))),
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
  files: fc.array(fc.oneof(fresh, fc.record({ path: fresh, content: fc.constant('trigger') })), {
    minLength: 1,
    maxLength: 2,
  }),
  timeout: amount,
  runs: amount,
  runs_per_query: amount,
  ...all(['threshold', 'pass_threshold', 'trigger_threshold'], share),
}

const entry = fc
  .record({ ...known, ...all(['author', 'kind_of_thing'], fresh) }, { requiredKeys: ['prompt'] })
  .map((fields) => {
    // Most of a hundred fields at once is no entry that anybody writes: a few of them are kept.
    const keys = Object.keys(fields).filter((key) => key !== 'prompt')
    const start = Math.floor((count * 7919) % Math.max(keys.length, 1))
    const kept = [...keys.slice(start), ...keys.slice(0, start)].slice(0, 6)
    return { prompt: fields['prompt'], ...Object.fromEntries(kept.map((key) => [key, fields[key]])) }
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
    { numRuns: 2000 },
  )
})

test('a field decides what an entry means, or is named', () => {
  const flags = [...DIRECTION_FIELDS, ...DISABLED_FIELDS, 'must_not_trigger']
  fc.assert(
    fc.property(entry, fc.constantFrom(...flags), fc.boolean(), (fields, flag, value) => {
      const { [flag]: _, ...others } = fields as Record<string, unknown>
      const [with_, without] = [parse([{ ...others, [flag]: value }]), parse([others])]
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
    common_assertions: ['zqcommonqz'],
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
])

// What a word such as "trigger" says is seen in the direction.
function isDirection(leaf: unknown): boolean {
  return ['trigger', 'no-trigger', 'none', 'regex', 'contains'].includes(String(leaf))
}
