import { compareTexts } from '../../texts.ts'
import type { CasePair } from './match-cases.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'

/** Something that two reports were made with and that is not the same. `null`: the report does not say. */
export interface Difference {
  readonly what: string
  readonly a: string | null
  readonly b: string | null
}

/** A file that is not the same. */
export interface Edit {
  /** What it is to the cases, such as `skill`. */
  readonly role: string
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
}

/** Names what two reports were made with, where it differs: what the subject is first, the machine last. */
export function findDifferences(a: ReadReport, b: ReadReport): readonly Difference[] {
  return [
    ...CASE_FACTS.map(([what, read]) => ({ what, a: join(a.cases, read), b: join(b.cases, read) })),
    { what: 'package', a: packageOf(a), b: packageOf(b) },
    ...FACTS.map(([what, read]) => ({ what, a: read(a), b: read(b) })),
  ].filter((one) => one.a !== one.b && (NEEDED.has(one.what) || (one.a !== null && one.b !== null)))
}

/** Names the files that differ between the two: of the package, its configuration, its scenarios and its cases. */
export function findEdits(pairs: readonly CasePair[]): readonly Edit[] {
  const both = pairs.filter((pair): pair is [ReadCase, ReadCase] => pair.every(listsFiles))
  const own = new Set(both.flatMap(scenariosOfEngines))
  const listed = (cases: readonly ReadCase[]): ReturnType<typeof filesOf> => filesOf(cases, own)
  const [was, is] = [listed(both.map(([before]) => before)), listed(both.map(([, after]) => after))]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => was.get(key)?.hash !== is.get(key)?.hash)
    .map((key): Edit => {
      const { role, path } = is.get(key) ?? was.get(key) ?? { role: '', path: '' }
      return { role, path, change: was.has(key) ? (is.has(key) ? 'changed' : 'removed') : 'added' }
    })
    .toSorted((x, y) => compareTexts(x.path, y.path) || compareTexts(x.role, y.role))
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

// That one of the two does not say is worth a line here; of a machine it is not.
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
  return new Map(listed.map((file) => [`${file.role} ${file.path}`, file]))
}
