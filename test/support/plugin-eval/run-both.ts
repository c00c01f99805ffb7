import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { claudeExecutable } from '../engines.ts'
import { readScores, type CaseScores, type Scores } from './aggregate.ts'
import type { TestProject } from '../project.ts'
import type { ParityCases } from './parity-case.ts'

const JUDGE = 'claude-sonnet-4-5'

/** A case as both runners scored it. */
export interface Row {
  readonly line: string
  readonly isEqual: boolean
  readonly mayDiffer: boolean
}

/** Compares what both made of each case, and prints it. */
export function compareScores(cases: ParityCases, theirs: Scores, ours: Scores): readonly Row[] {
  const rows = Object.keys(cases).map((name) =>
    compare(name, theirs.cases[name], ours.cases[name], cases[name]?.differs),
  )
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

/** Scores of `claude plugin eval`. */
export async function askClaude({ root, home }: TestProject, url: string): Promise<Scores> {
  const args = ['plugin', 'eval', root, '--trust-plugin', '--no-publish', '--scaffold', '-j', '8']
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

/** Scores of this project. */
export async function askOurs(project: TestProject, url: string): Promise<Scores> {
  const options = ['--live', '--scaffold', '--judge-model', `anthropic:${JUDGE}`]
  const finished = await project.agentEvals(['run', ...options, '--export', 'plugin-eval'], {
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-dummy-1234567890' },
  })
  const exported = /Export\s+(\S+aggregate-result\.json)/.exec(finished.raw)?.[1]
  const text = exported === undefined ? null : await readFile(join(project.root, exported), 'utf8')
  if (text === null) throw new Error(finished.all)
  return readScores(text)
}
