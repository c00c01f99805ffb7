import { compareTexts } from '../../lib/text.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import type { CasePair } from './match-cases.ts'
import type { Comparison } from './comparison-schema.ts'

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
  const [from, to] = [listed(both.map(([before]) => before)), listed(both.map(([, after]) => after))]
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((key) => from.get(key)?.hash !== to.get(key)?.hash)
    .map((key): Edit => {
      const { role, path } = to.get(key) ?? from.get(key) ?? { role: '', path: '' }
      return { role, path, change: from.has(key) ? (to.has(key) ? 'changed' : 'removed') : 'added' }
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
  const scenarios = scenariosOf(after)
  return [...scenariosOf(before)].flatMap(([bare, path]) => {
    const other = scenarios.get(bare)
    return other === undefined || path === other ? [] : [path, other]
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
