import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { claudeExecutable } from '../engines.ts'
import { readReport } from '../eval-project.ts'
import { repositoryVitest } from '../majors.ts'
import { outputOf } from '../command.ts'
import { createProject, type TestProject } from '../project.ts'
import { REPOSITORY } from '../repository.ts'
import { readScores, type CaseScores, type Scores, type VersionScores } from './aggregate.ts'
import { startParityModel } from './model.ts'
import { ourScores } from './our-scores.ts'
import { paritySuite } from './suite.ts'
import type { ParityCases } from './parity-case.ts'

const JUDGE = 'claude-sonnet-4-5'
const FIXTURES = join(REPOSITORY, 'test/fixtures')

/** Scores that were kept of an earlier comparison; `ours` only where they differ. */
export interface KeptScores {
  /** The version of the CLI that gave them. */
  readonly version: string
  readonly cases: Readonly<Record<string, { readonly theirs: CaseScores; readonly ours?: CaseScores }>>
}

/** What both made of a suite. */
export interface Comparison {
  readonly rows: readonly Row[]
  readonly theirs: VersionScores
  readonly ours: Scores
  readonly kept: KeptScores
  /** What the run here printed. */
  readonly output: string
}

/** A suite, and how it is run. */
export interface ComparedSuite {
  readonly cases: ParityCases
  /** A file of {@link KeptScores} in test/fixtures. */
  readonly file: string
  /** Names of the cases that are run while the kept scores are those of this CLI. @default all */
  readonly needed?: readonly string[]
  /** @default runs each case without the plugin, too */
  readonly flags?: readonly string[]
}

/** A case as both runners scored it. */
export interface Row {
  readonly line: string
  readonly isEqual: boolean
  readonly mayDiffer: boolean
}

/** Compares what both made of each case, and prints it. */
function compareScores(cases: ParityCases, theirs: VersionScores, ours: Scores): readonly Row[] {
  const rows = Object.keys(cases).map((name) => compare(name, theirs.cases[name], ours[name], cases[name]?.differs))
  console.log(`claude plugin eval ${theirs.version}\n${rows.map(({ line }) => line).join('\n')}`)
  return rows
}

function compare(
  name: string,
  theirs: CaseScores | undefined,
  ours: CaseScores | undefined,
  reason: string | undefined,
): Row {
  const [one, other] = [JSON.stringify(theirs), JSON.stringify(ours)]
  const isEqual = one !== undefined && one === other
  const words = isEqual
    ? `equal   ${theirs?.score} with, ${theirs?.scoreWithout} without`
    : `${reason === undefined ? 'DIFFERS' : `differs (${reason})`}\n  theirs ${one}\n  ours   ${other}`
  return { line: `${name.padEnd(27)} ${words}`, isEqual, mayDiffer: reason !== undefined }
}

/** Reads the scores that are kept in a file. */
export async function readKept(file: string): Promise<KeptScores> {
  return JSON.parse(await readFile(join(FIXTURES, file), 'utf8')) as KeptScores
}

/**
 * Runs the suite here, and compares the scores with those of `claude plugin eval`. That runner is asked only when the CLI
 * has another version than the one that gave the kept scores, or when UPDATE_PLUGIN_EVAL has them written anew.
 */
export async function compareSuite({ cases, file, needed, flags = [] }: ComparedSuite): Promise<Comparison> {
  const isUpdate = process.env['UPDATE_PLUGIN_EVAL'] !== undefined
  const kept = await readKept(file)
  const isKept = !isUpdate && (await outputOf(claudeExecutable() ?? '', ['--version'])).startsWith(`${kept.version} `)
  const names = Object.keys(cases).filter((name) => !isKept || needed === undefined || needed.includes(name))
  const chosen = Object.fromEntries(Object.entries(cases).filter(([name]) => names.includes(name)))

  let root = ''
  await using model = await startParityModel(() => root, chosen)
  await using project = await createProject(repositoryVitest(), {
    ...paritySuite(chosen),
    'vitest.config.ts': `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals({ sandbox: 'prefer' })] }\n`,
  })
  root = project.root
  const theirs = isKept ? keptOf(kept, names) : await askClaude(project, model.url, flags)
  const { scores: ours, output } = await askOurs(project, model.url, flags)
  if (isUpdate) {
    const written = names.map((name) => {
      const [one, other] = [theirs.cases[name], ours[name]]
      return [name, JSON.stringify(one) === JSON.stringify(other) ? { theirs: one } : { theirs: one, ours: other }]
    })
    const text = JSON.stringify({ version: theirs.version, cases: Object.fromEntries(written) }, null, 2)
    await writeFile(join(FIXTURES, file), `${text}\n`)
  }
  return { rows: compareScores(chosen, theirs, ours), theirs, ours, kept, output }
}

/** What the cases of these names got here when the scores were kept. */
export function keptOurs({ cases }: KeptScores, names: readonly string[]): Scores {
  const found = names.map((name) => [name, cases[name]?.ours ?? cases[name]?.theirs] as const)
  return Object.fromEntries(found.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])))
}

function keptOf({ version, cases }: KeptScores, names: readonly string[]): VersionScores {
  const found = names.flatMap((name) => (cases[name] === undefined ? [] : [[name, cases[name].theirs] as const]))
  return { version, cases: Object.fromEntries(found) }
}

async function askClaude({ root, home }: TestProject, url: string, flags: readonly string[]): Promise<VersionScores> {
  const args = ['plugin', 'eval', root, '--trust-plugin', '--no-publish', '--scaffold', '-j', '8', ...flags]
  const out = join(home, 'theirs')
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-1234567890',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
  }
  // It exits with 1, since cases are below the threshold.
  await promisify(execFile)(
    claudeExecutable() ?? '',
    [...args, '--judge-model', JUDGE, '--output-dir', out, '--allow-tools', 'Write', 'Edit'],
    { cwd: root, env, maxBuffer: 64 * 1024 * 1024 },
  ).catch(() => {})
  return readScores(await readFile(join(out, 'aggregate-result.json'), 'utf8'))
}

async function askOurs(
  project: TestProject,
  url: string,
  flags: readonly string[],
): Promise<{ readonly scores: Scores; readonly output: string }> {
  const options = ['--live', '--scaffold', '--judge-model', `anthropic:${JUDGE}`, ...flags]
  const { all } = await project.agentEvals(['run', ...options], {
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-dummy-1234567890' },
  })
  const { cases } = await readReport(project)
  return { scores: await ourScores(cases, project.root), output: all }
}
