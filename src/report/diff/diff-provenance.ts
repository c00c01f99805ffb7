import { compareTexts } from '../../lib/text.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import type { Comparison } from '../gate/gate-schema.ts'

/** A file that is not the same; its role is what it is to the cases, such as `package`. */
type Edit = Comparison['edits'][number]

/** Names what two reports were made with, where it differs: what the subject is first, the machine last. */
export function findDifferences(before: ReadReport, after: ReadReport): Comparison['made_with'] {
  return [
    ...CASE_FACTS.map(([what, read]) => ({ what, before: join(before.cases, read), after: join(after.cases, read) })),
    { what: 'package', before: packageOf(before), after: packageOf(after) },
    ...FACTS.map(([what, read]) => ({ what, before: read(before), after: read(after) })),
  ].filter((one) => one.before !== one.after && (NEEDED.has(one.what) || (one.before !== null && one.after !== null)))
}

/** Names the files that differ between the two: of the package, its configuration, its scenarios and its cases. */
export function findEdits(pairs: readonly CasePair[]): readonly Edit[] {
  const both = pairs.filter((pair): pair is [ReadCase, ReadCase] => pair.every(listsFiles))
  const scenarios = new Set(both.flatMap(scenariosOfEngines))
  const listed = (cases: readonly ReadCase[]): ReturnType<typeof filesOf> => filesOf(cases, scenarios)
  const [was, is] = [listed(both.map(([before]) => before)), listed(both.map(([, after]) => after))]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => was.get(key)?.hash !== is.get(key)?.hash)
    .map((key): Edit => {
      const { role, path } = is.get(key) ?? was.get(key) ?? { role: '', path: '' }
      return { role, path, change: was.has(key) ? (is.has(key) ? 'changed' : 'removed') : 'added' }
    })
    .toSorted((x, y) => compareTexts(x.path, y.path))
}

const CASE_FACTS: readonly (readonly [what: string, read: (entry: ReadCase) => string | null])[] = [
  ['model', ({ agent }) => agent.model],
  ['engine', ({ engine }) => engine],
  [
    'CLI version',
    ({ engine, agent: { runtime_version: version } }) => (version === null ? null : `${engine ?? 'CLI'} ${version}`),
  ],
  ['judge', ({ judge_verdict: judge }) => judge?.model ?? null],
  ['vault', ({ vault_hash: vault }) => vault?.slice(0, 12) ?? null],
  ['answers', ({ source }) => source],
  ['sandbox', ({ sandbox }) => sandbox?.enforced ?? null],
]

/** What a report says once of all its cases, by the words it is shown with. */
export const FACTS: readonly (readonly [what: string, read: (report: ReadReport) => string | null])[] = [
  [
    'commit',
    ({ git }) => (git === null ? null : `${git.commit.slice(0, 10)}${git.dirty === true ? ' with changes' : ''}`),
  ],
  ['timeout', ({ config: { timeout } }) => (timeout === null ? null : `${timeout} s`)],
  ['agent-evals', (report) => report.agent_evals_version],
  ['vitest', (report) => report.vitest_version],
  ['node', ({ environment }) => environment.node_version],
  ['python', ({ environment }) => environment.python_version],
  ['platform', ({ environment: { os, arch } }) => [os, arch].filter((part) => part !== null).join(' ') || null],
]

// Report these even if only one side has them.
const NEEDED: ReadonlySet<string> = new Set(['model', 'engine', 'CLI version', 'package'])

// Parts of a case's file are shown beside the case.
const NOT_EDITS: ReadonlySet<string> = new Set(['checks', 'code', 'criteria', 'judge-prompt', 'prompt', 'workspace'])

function join(cases: readonly ReadCase[], read: (entry: ReadCase) => string | null): string | null {
  const values = new Set(cases.map(read).filter((value) => value !== null))
  return values.size === 0 ? null : [...values].toSorted().join(', ')
}

function packageOf({ package: { name, version } }: ReadReport): string | null {
  return name === null && version === null ? null : [name, version].filter((part) => part !== null).join(' ')
}

function listsFiles(entry: ReadCase | null): boolean {
  return entry?.inputs.some(({ role }) => role === 'case') === true
}

/** Scenarios that each of two engines has for one case, as `x.yaml` and `x.codex.yaml`: neither is a version of the other. */
export function scenariosOfEngines([before, after]: CasePair): readonly string[] {
  if (before === null || after === null || before.engine === after.engine) return []
  const [was, is] = [scenariosOf(before), scenariosOf(after)]
  return [...was.keys()].flatMap((bare) => {
    const [one, other] = [was.get(bare), is.get(bare)]
    return one === undefined || other === undefined || one === other ? [] : [one, other]
  })
}

function scenariosOf({ engine, inputs }: ReadCase): ReadonlyMap<string, string> {
  const paths = inputs.flatMap(({ role, path }) => (role === 'scenario' ? [path] : []))
  return new Map(paths.map((path) => [path.replace(`.${engine}.yaml`, '.yaml'), path]))
}

function filesOf(
  cases: readonly ReadCase[],
  left: ReadonlySet<string>,
): ReadonlyMap<string, ReadCase['inputs'][number]> {
  const listed = cases.flatMap(({ inputs }) =>
    inputs.filter(({ role, path }) => !NOT_EDITS.has(role) && !(role === 'scenario' && left.has(path))),
  )
  return new Map(listed.map((file) => [file.path, file]))
}

/**
 * Says what two runs of a case were asked differently, in words: prompt, checks, criteria, files, judge. Empty when
 * they can be compared, also where a report does not say.
 */
export function whatDiffers(before: ReadCase, after: ReadCase): readonly string[] {
  return [...askedParts(before, after), ...files(before, after), ...judges(before, after)]
}

function askedParts(before: ReadCase, after: ReadCase): readonly string[] {
  if (has(before, PARTS) && has(after, PARTS)) {
    // A test that came to its end earlier has shown less of what it asks.
    const isCode = has(before, ['code']) && has(after, ['code'])
    const isKnown = (role: string): boolean => !isCode || (has(before, [role]) && has(after, [role]))
    const parts = PARTS.filter((role) => isKnown(role) && hashOf(before, role) !== hashOf(after, role))
    return parts.map((role) => WORDS[role])
  }
  if (has(before, ['case']) && has(after, ['case'])) {
    return hashOf(before, 'case') === hashOf(after, 'case') ? [] : ['case file']
  }
  // A case that was cut short has no hashes: the kinds of its checks are all that is known.
  const [was, is] = [kindsOf(before), kindsOf(after)]
  return was !== '' && is !== '' && was !== is ? ['checks'] : []
}

function kindsOf({ deterministic_checks: checks }: ReadCase): string {
  return Object.keys(checks).toSorted().join()
}

function files(before: ReadCase, after: ReadCase): readonly string[] {
  // A case that could not be started lists nothing.
  if (!has(before, ['case']) || !has(after, ['case'])) return []
  const [was, is] = [changedFilesOf(before), changedFilesOf(after)]
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter((path) => was.get(path) !== is.get(path))
  return paths.toSorted().map((path) => `fixture ${path}`)
}

// A default judge is the agent's model, and changes with it: that is named once of the reports.
function judges(before: ReadCase, after: ReadCase): readonly string[] {
  const [was, is] = [before.judge_verdict?.model ?? null, after.judge_verdict?.model ?? null]
  const followsAgent = was === before.agent.model && is === after.agent.model
  return was !== null && is !== null && was !== is && !followsAgent ? [`judge ${was} / ${is}`] : []
}

function changedFilesOf({ inputs }: ReadCase): ReadonlyMap<string, string> {
  return new Map(inputs.filter(({ role }) => FILES.has(role)).map(({ path, hash }) => [path, hash]))
}

function has({ inputs }: ReadCase, roles: readonly string[]): boolean {
  return inputs.some(({ role }) => roles.includes(role))
}

function hashOf({ inputs }: ReadCase, part: string): string | undefined {
  return inputs.find(({ role }) => role === part)?.hash
}

const PARTS = ['code', 'prompt', 'checks', 'workspace', 'criteria', 'judge-prompt'] as const
const FILES: ReadonlySet<string> = new Set(['fixture', 'overlay'])
const WORDS: Readonly<Record<(typeof PARTS)[number], string>> = {
  code: "test's code",
  prompt: 'prompt',
  checks: 'checks',
  workspace: 'files of the workspace',
  criteria: 'criteria',
  'judge-prompt': "judge's prompt",
}

/** A case in both reports, or in one of them. */
export type CasePair = readonly [before: ReadCase | null, after: ReadCase | null]

/**
 * Finds each case of one report in the other: by id, else by name, where it was moved to another file or a report
 * has no ids. Every case is in exactly one pair.
 */
export function matchCases(before: readonly ReadCase[], after: readonly ReadCase[]): readonly CasePair[] {
  const left = new Set(after)
  const found = new Map<ReadCase, ReadCase>()
  const take = (keyOf: (entry: ReadCase) => string | null): void => {
    const candidates = unique([...left], keyOf)
    const open = unique(
      before.filter((entry) => !found.has(entry)),
      keyOf,
    )
    for (const [key, entry] of open) {
      const match = candidates.get(key)
      if (match === undefined) continue
      found.set(entry, match)
      left.delete(match)
    }
  }

  take(({ id, engine }) => (id === null ? null : JSON.stringify([id, engine])))
  take(({ id }) => id)
  take(({ name, target }) => JSON.stringify([name, target]))
  take(({ name }) => name)
  return [
    ...before.map((entry): CasePair => [entry, found.get(entry) ?? null]),
    ...[...left].map((entry): CasePair => [null, entry]),
  ]
}

// A key that two cases share says nothing of either.
function unique(cases: readonly ReadCase[], keyOf: (entry: ReadCase) => string | null): ReadonlyMap<string, ReadCase> {
  const byKey = new Map<string, ReadCase | null>()
  for (const entry of cases) {
    const key = keyOf(entry)
    if (key !== null) byKey.set(key, byKey.has(key) ? null : entry)
  }
  return new Map([...byKey].filter((pair): pair is [string, ReadCase] => pair[1] !== null))
}
