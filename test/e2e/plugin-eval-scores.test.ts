// @module-tag claude-code
// @module-tag slow
// @module-tag table
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { readScores, type CaseScores, type Scores } from '../support/plugin-eval/aggregate.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { startParityModel } from '../support/plugin-eval/model.ts'
import { PARITY_CASES, paritySuite } from '../support/plugin-eval/suite.ts'

const KEPT = join(import.meta.dirname, '../fixtures/plugin-eval-scores.json')
const JUDGE = 'claude-sonnet-4-5'
const executable = claudeExecutable()

test.skipIf(executable === null)(
  'gives the scores of claude plugin eval, run by run',
  { timeout: 900_000 },
  async () => {
    let root = ''
    await using model = await startParityModel(() => root)
    await using project = await createProject(repositoryVitest(), {
      ...paritySuite(),
      'vitest.config.ts': `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals({ sandbox: 'prefer' })] }\n`,
    })
    root = project.root
    const theirs = await askClaude(project, model.url)
    const ours = await askOurs(project, model.url)

    const rows = Object.keys(PARITY_CASES).map((name) => compare(name, theirs.cases[name], ours.cases[name]))
    console.log(`claude plugin eval ${theirs.version}\n${rows.map(({ line }) => line).join('\n')}`)
    expect(rows.length).toBeGreaterThanOrEqual(20)

    const kept = JSON.parse(await readFile(KEPT, 'utf8').catch(() => '{}')) as { readonly version?: string }
    if (process.env['UPDATE_PLUGIN_EVAL'] !== undefined) {
      const cases = Object.fromEntries(
        Object.keys(PARITY_CASES).map((name) => [name, { theirs: theirs.cases[name], ours: ours.cases[name] }]),
      )
      await writeFile(KEPT, `${JSON.stringify({ version: theirs.version, cases }, null, 2)}\n`)
      return
    }
    const differing = rows.filter(({ isEqual, mayDiffer }) => !isEqual && !mayDiffer).map(({ line }) => line)
    // Another version may score otherwise; the table says where.
    if (kept.version !== theirs.version) return
    expect(differing).toEqual([])
    const cases = Object.fromEntries(
      Object.keys(PARITY_CASES).map((name) => [name, { theirs: theirs.cases[name], ours: ours.cases[name] }]),
    )
    expect({ version: theirs.version, cases }).toEqual(kept)
  },
)

interface Row {
  readonly line: string
  readonly isEqual: boolean
  readonly mayDiffer: boolean
}

function compare(name: string, theirs: CaseScores | undefined, ours: CaseScores | undefined): Row {
  const [one, other] = [JSON.stringify(theirs), JSON.stringify(ours)]
  const isEqual = one !== undefined && one === other
  const reason = PARITY_CASES[name]?.differs
  const words = isEqual
    ? `equal   ${theirs?.score} with, ${theirs?.scoreWithout} without`
    : `${reason === undefined ? 'DIFFERS' : `differs (${reason})`}\n  theirs ${one}\n  ours   ${other}`
  return { line: `${name.padEnd(18)} ${words}`, isEqual, mayDiffer: reason !== undefined }
}

async function askClaude({ root, home }: TestProject, url: string): Promise<Scores> {
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
    executable ?? '',
    [...args, '--judge-model', JUDGE, '--output-dir', out, '--allow-tools', 'Write', 'Edit'],
    { cwd: root, env, maxBuffer: 64 * 1024 * 1024 },
  ).catch(() => {})
  return readScores(await readFile(join(out, 'aggregate-result.json'), 'utf8'))
}

async function askOurs(project: TestProject, url: string): Promise<Scores> {
  const options = ['--live', '--scaffold', '--judge-model', `anthropic:${JUDGE}`]
  const finished = await project.agentEvals(['run', ...options, '--export', 'plugin-eval'], {
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-dummy-1234567890' },
  })
  const exported = /Export\s+(\S+aggregate-result\.json)/.exec(finished.raw)?.[1]
  const text = exported === undefined ? null : await readFile(join(project.root, exported), 'utf8')
  if (text === null) throw new Error(finished.all)
  return readScores(text)
}
