import type { AskedCheck } from '../../checks/checks.ts'

/** What a field says of its value. Everything that is known of a name is in the tables below, and in no other file. */
export type Role =
  | { readonly as: 'ask'; readonly isQuery?: true }
  | { readonly as: 'expect'; readonly polarity: Polarity; readonly of: 'file' | 'judge' | 'output' }
  | { readonly as: 'direction'; readonly when: boolean }
  | { readonly as: 'choice'; readonly isResult?: true }
  | { readonly as: 'context' | 'files' | 'ignore' | 'prefix' | 'route' | 'skip' | 'subject' }
  | { readonly as: 'label'; readonly of: 'category' | 'description' | 'id' | 'tags' | 'title'; readonly isId?: true }
  | { readonly as: 'setting'; readonly of: 'runs' | 'threshold' | 'timeout'; readonly kind?: 'eval' | 'query' }
  | { readonly as: 'list'; readonly when: boolean | null }

/** Whether something has to hold, or must not be the case. */
export type Polarity = 'must' | 'must-not'

/** Every role, by the word that `fields` calls it. */
export const ROLES = {
  prompt: { as: 'ask' },
  query: { as: 'ask', isQuery: true },
  prefix: { as: 'prefix' },
  files: { as: 'files' },
  must: { as: 'expect', polarity: 'must', of: 'judge' },
  'must-not': { as: 'expect', polarity: 'must-not', of: 'judge' },
  contains: { as: 'expect', polarity: 'must', of: 'output' },
  'not-contains': { as: 'expect', polarity: 'must-not', of: 'output' },
  'file-exists': { as: 'expect', polarity: 'must', of: 'file' },
  context: { as: 'context' },
  'should-trigger': { as: 'direction', when: true },
  'should-not-trigger': { as: 'direction', when: false },
  'expected-skill': { as: 'route' },
  expect: { as: 'choice' },
  result: { as: 'choice', isResult: true },
  skill: { as: 'subject' },
  id: { as: 'label', of: 'id' },
  title: { as: 'label', of: 'title' },
  name: { as: 'label', of: 'title', isId: true },
  description: { as: 'label', of: 'description' },
  category: { as: 'label', of: 'category' },
  tags: { as: 'label', of: 'tags' },
  disabled: { as: 'skip' },
  timeout: { as: 'setting', of: 'timeout' },
  runs: { as: 'setting', of: 'runs' },
  'runs-per-query': { as: 'setting', of: 'runs', kind: 'query' },
  'pass-threshold': { as: 'setting', of: 'threshold', kind: 'eval' },
  'trigger-threshold': { as: 'setting', of: 'threshold', kind: 'query' },
  evals: { as: 'list', when: null },
  positives: { as: 'list', when: true },
  negatives: { as: 'list', when: false },
  ignore: { as: 'ignore' },
} as const satisfies Readonly<Record<string, Role>>

/** The word for a role. */
export type RoleName = keyof typeof ROLES

/** Every such word. */
export const ROLE_NAMES = Object.keys(ROLES) as readonly RoleName[] as readonly [RoleName, ...RoleName[]]

/** Names of one role, and what it means. */
export interface Row {
  readonly role: RoleName
  readonly names: readonly string[]
  readonly means: string
  /** Whether a slip in one of these names would change what a case means, so that it is an error. */
  readonly isCore: boolean
}

function row(role: RoleName, names: string, means: string, isCore: boolean = true): Row {
  return { role, names: names.split(' '), means, isCore }
}

function label(role: RoleName, names: string, means: string): Row {
  return row(role, names, means, false)
}

/** The fields of an entry: those of agentskills.io, skill-creator and BMAD, and those of public suites. */
export const ENTRY_ROWS: readonly Row[] = [
  row('prompt', 'prompt question input instruction request', 'Sent to the agent literally.'),
  row('query', 'query q', 'The prompt of a trigger query, or of an eval.'),
  row('prefix', 'state_prefix', 'State of the conversation, put before the prompt.'),
  row('files', 'files', 'Fixtures by their paths, or `{ path, content }`.'),
  row(
    'must',
    'expectations assertions expected_behavior checks rubric graders',
    'What has to hold: sentences, or checks by type.',
  ),
  row('must-not', 'must_not', 'What must not be the case.'),
  row('file-exists', 'artifacts', 'Files that exist at the end.'),
  row(
    'context',
    'expected_output ground_truth',
    'A good result as a whole: context for the judge, or the only criterion if nothing else is expected.',
  ),
  row('should-trigger', 'should_trigger expected_trigger', 'Whether the skill should be used: true or false.'),
  row('should-not-trigger', 'should_not_trigger', 'The opposite: true or false.'),
  row(
    'expected-skill',
    'expected_skill expect_skill route',
    'The skill that should be used; any one of a list; null, "none" or [] for no skill.',
  ),
  label(
    'expect',
    'expect',
    'By its value: true, false, "trigger" or "no-trigger"; the name of a skill, or several; "none"; sentences.',
  ),
  label(
    'result',
    'expected',
    'By its value: true, false, "trigger" or "no-trigger"; a good result as a whole; sentences. One word has no effect: it may be a skill or an answer.',
  ),
  label('skill', 'skill skill_name skills target', 'The skill that the entry is about.'),
  label('id', 'id eval_id test_id slug', 'Stable name of the case in reports.'),
  label('title', 'name title display_name', 'Added to the id in the name of the test.'),
  label('name', 'eval_name', 'The same, and the id of an entry without one.'),
  label('description', 'description', 'For people.'),
  label('category', 'category area kind group case_set archetype scenario_type', 'A label for reports.'),
  label('tags', 'tags _pattern', 'Labels for filters.'),
  row('disabled', 'disabled', 'Whether, or why, the entry is not run.'),
  row('timeout', 'timeout', 'Seconds that the case may take.'),
  row('runs', 'runs', 'How often the case is run.'),
  row('runs-per-query', 'runs_per_query', 'How often a query is run.'),
  row('pass-threshold', 'pass_threshold', 'Share of the completed runs of an eval that must pass.'),
  row('trigger-threshold', 'trigger_threshold', 'Share of the completed runs of a query that must use the skill.'),
  label(
    'ignore',
    'reason why rationale notes _note prompt_note derived_from near_miss_of split status stats',
    'A remark of the author.',
  ),
]

/** What a file may say beside its entries, for all of them. */
export const FILE_ROWS: readonly Row[] = [
  row(
    'evals',
    'evals cases queries tests scenarios test_cases trigger_evals output_evals tasks expects',
    'Evals and trigger queries, or an object of lists by their direction.',
  ),
  row('positives', 'should_trigger', 'Queries that should use the skill.'),
  row('negatives', 'should_not_trigger', 'Queries that should not.'),
  label('skill', 'skill_name skill skills', 'The skill under test, unless the folder says it.'),
  row('must', 'common_assertions', 'Expectations of every eval of the file.'),
  ...ENTRY_ROWS.filter(({ role }) => ['setting', 'skip'].includes(ROLES[role].as)),
  label('ignore', 'description notes version schema_version', 'A remark of the author.'),
]

/** Where a field is: in an entry, or beside the lists of entries. */
export type Level = 'entry' | 'file'

/** Names of fields with their roles, as an author settles them. */
export type FieldsOption = Readonly<Record<string, RoleName>>

/** Roles that an author has settled, by normalised name. */
export type SettledFields = ReadonlyMap<string, RoleName>

/** No name is settled. */
export const NOTHING_SETTLED: SettledFields = new Map()

/** The rows of each level. */
export const ROWS: Readonly<Record<Level, readonly Row[]>> = { entry: ENTRY_ROWS, file: FILE_ROWS }
const TABLES = { entry: tableOf(ENTRY_ROWS), file: tableOf(FILE_ROWS) }

function tableOf(rows: readonly Row[]): ReadonlyMap<string, Role> {
  return new Map(rows.flatMap(({ role, names }) => names.map((name) => [normalise(name), ROLES[role]] as const)))
}

/** A name as it is compared: `mustNot`, `must-not` and `must_not` are one. */
export function normalise(name: string): string {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

/** The role of a name; `null` where neither the author nor the table has one. */
export function roleOf(name: string, level: Level, settled: SettledFields): Role | null {
  const key = normalise(name)
  const own = settled.get(key)
  return own !== undefined && hasMeaning(ROLES[own], level) ? ROLES[own] : (TABLES[level].get(key) ?? null)
}

function hasMeaning({ as }: Role, level: Level): boolean {
  if (level === 'entry') return as !== 'list'
  return ['expect', 'ignore', 'list', 'setting', 'skip', 'subject'].includes(as)
}

/** Words of a direction, with hyphens. */
export const DIRECTION_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['trigger', 'triggers', 'should-trigger'].map((word) => [word, true] as const),
  ...['no-trigger', 'not-trigger', 'should-not-trigger'].map((word) => [word, false] as const),
])

/** Words for no skill, where a skill could be named. */
export const NO_SKILL: ReadonlySet<string> = new Set(['none', 'null', 'n/a', 'no-skill', 'no skill', 'no_skill', '-'])

/** Fields of an expectation that is an object, in the order in which one is chosen. */
export const ELEMENT_FIELDS = {
  text: ['text', 'description', 'assertion', 'check', 'name'],
  type: ['type', 'kind', 'check'],
  /** What turns it round. */
  denied: { expected: false, negate: true },
  file: ['path', 'file'],
  /** The name of a tool or skill. */
  named: ['tool', 'skill', 'value', 'name'],
} as const

/** A check under a name that other tools have for it. */
export interface CheckAlias {
  readonly kind: AskedCheck['kind']
  /** The fields that may hold what is looked for. */
  readonly fields?: readonly string[]
  /** Whether one of several values is enough. */
  readonly isAny?: true
}

const VALUES = ['value', 'phrase', 'substring', 'pattern', 'values', 'text']
const PATTERNS = ['pattern', 'regex', 'value', 'values']

const contains: CheckAlias = { kind: 'contains', fields: VALUES }
const lacks: CheckAlias = { kind: 'not-contains', fields: VALUES }
const matches: CheckAlias = { kind: 'matches', fields: PATTERNS }
const differs: CheckAlias = { kind: 'not-matches', fields: PATTERNS }

/** Checks by such names, and by their own where other tools give them other fields. */
export const CHECK_ALIASES: Readonly<Record<string, CheckAlias>> = {
  contains,
  contains_phrase: contains,
  contains_all: contains,
  contains_any: { ...contains, isAny: true },
  not_contains: lacks,
  not_contains_phrase: lacks,
  regex: matches,
  contains_pattern: matches,
  not_regex: differs,
  not_contains_pattern: differs,
  file_exists: { kind: 'file-exists', fields: ['path', 'file', 'value'] },
  tool_use: { kind: 'tool-called', fields: ELEMENT_FIELDS.named },
  tool_not_used: { kind: 'no-tool', fields: ELEMENT_FIELDS.named },
  expected_skill: { kind: 'skill-used', fields: ELEMENT_FIELDS.named },
  forbidden_skill: { kind: 'skill-not-used', fields: ELEMENT_FIELDS.named },
}
