// @module-tag claude-code
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { greetings, PACKAGE, readReport, readReports, verdicts } from '../support/eval-project.ts'
import { SHELL_PACKAGE, shellCases } from '../support/shell-engine.ts'
import { keptText } from '../support/kept-text.ts'
import type { Report } from '../../src/report/report.ts'

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true })
const validate = ajv.compile(
  JSON.parse(await readFile(join(REPOSITORY, 'schemas/report.schema.json'), 'utf8')) as object,
)
const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }

describeOnMajors('a run and its report on $label', [], (major) => {
  test('a run leaves a report with every field, and the evidence of each case', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      ...greetings({ bad: 'Goodbye', good: 'Hello' }),
      'evals/scenarios/good.yaml': JSON.stringify({
        turns: [
          { tools: [{ name: 'Write', input: { file_path: '${WORKSPACE}/out/a.txt', content: 'A' } }] },
          'Hello, World',
        ],
        judge: [[{ verdict: 'pass', reason: 'It greets.', quote: 'Hello, World' }]],
      }),
    })
    await project.run(['run', '--project', 'evals'])
    const report = await readReport(project)
    expect(validate(report), JSON.stringify(validate.errors, null, 2)).toBe(true)
    expect(Object.keys(report)).toEqual(expect.arrayContaining(FIELDS))
    for (const entry of report.cases) expect(Object.keys(entry)).toEqual(expect.arrayContaining(CASE_FIELDS))
    expect(report).toMatchObject({
      version: 1,
      status: 'complete',
      source: 'scenario',
      agent_evals_version: version,
      package: { name: 'sample', version: '1.2.3' },
      config: { engine: 'claude-code', timeout: 120 },
      summary: { total: 2, passed: 1, failed: 1, errored: 0, skipped: 0, pass_rate: 0.5, cost_usd: 0 },
    })

    const [run = ''] = await runFolders(project)
    const folder = join(run, 'cases/cases/good/claude-code.1')
    expect(report.cases.find(({ name }) => name === 'good')?.runs[0]?.folder).toBe(folder)
    expect((await readdir(join(project.root, folder))).toSorted()).toEqual(
      expect.arrayContaining(['artifacts', 'metrics.json', 'prompt.txt', 'transcript.jsonl']),
    )
    expect(await project.files.readFile(join(folder, 'prompt.txt'), 'utf8')).toBe('Say hello.')
    expect(keptText(join(project.root, folder), 'out/a.txt')).toBe('A')
    expect(await project.files.readFile('.vitest/agent-evals/.gitignore', 'utf8')).toBe('*\n')

    expect(await readJson(project, join(run, 'run.json'))).toMatchObject({ versions: { agentEvals: version } })
    expect(await readJson(project, join(run, 'provenance.json'))).toMatchObject({
      [project.root]: { agentEvalsVersion: version, git: null },
    })
  })
})

describe('where a report lies', () => {
  const major = repositoryVitest()

  test('a path asked for takes the report, and one that cannot is refused before anything runs', async () => {
    await using project = await createProject(major, { ...SHELL_PACKAGE, ...shellCases({ good: 'echo Hello' }) })
    const args = ['run', '--project', 'evals']
    const refused = await project.run(args, { env: { AGENT_EVALS_REPORT: 'evals' } })
    expect(refused.exitCode).toBe(1)
    expect(refused.all).toContain('Cannot write the report to <root>/evals: it is a folder.')
    expect(await runFolders(project)).toEqual([])

    const written = await project.run(args, { env: { AGENT_EVALS_REPORT: 'out/mine.json' } })
    expect(written.exitCode).toBe(0)
    expect(verdicts((await readJson(project, 'out/mine.json')) as Report)).toEqual(['good PASS'])
    expect((await project.run(args, { env: { AGENT_EVALS_REPORT: 'false' } })).exitCode).toBe(0)
    expect(await readReports(project)).toEqual([])
  })

  test('a run that was killed is reported by the next one, which removes its workspaces', async () => {
    const files = { ...SHELL_PACKAGE, ...shellCases({ good: 'echo Hello', slow: 'sleep 30' }), 'tmp/.keep': '' }
    await using project = await createProject(major, files, 'default')
    const env = { TMPDIR: join(project.root, 'tmp') }
    const killed = project.start(['run', '--project', 'evals'], { env })
    await killed.waitFor(/✓ \|evals\| evals\/cases\/good\.yaml/)
    // On a busy machine the other worker begins later than the first case ends.
    await expect.poll(() => workspaces(project)).not.toEqual([])
    await killed.kill()

    const next = await project.run(['run', '--project', 'evals', '-t', 'good'], { env })
    expect(next.exitCode).toBe(0)
    expect(next.stderr).toMatch(/^agent-evals: recovered the results of a killed run: evals\/reports\/\S+\.json$/m)
    expect(await workspaces(project)).toEqual([])
    const reports = await readReports(project)
    expect(reports.map((report) => [report.status, ...verdicts(report)])).toEqual([
      ['recovered', 'good PASS', 'slow ERROR interrupted'],
      ['complete', 'good PASS'],
    ])
    for (const report of reports) expect(validate(report), JSON.stringify(validate.errors, null, 2)).toBe(true)
  })
})

/** Run folders below the project, oldest first. */
async function runFolders({ root }: TestProject): Promise<readonly string[]> {
  const names = await readdir(join(root, '.vitest/agent-evals')).catch(() => [])
  return names
    .filter((name) => /^\d/.test(name))
    .toSorted()
    .map((name) => join('.vitest/agent-evals', name))
}

async function workspaces({ root }: TestProject): Promise<readonly string[]> {
  return (await readdir(join(root, 'tmp'))).filter((name) => name.startsWith('agent-evals-'))
}

async function readJson({ files }: TestProject, path: string): Promise<unknown> {
  return JSON.parse(await files.readFile(path, 'utf8'))
}

const FIELDS = (
  'version id timestamp duration_seconds status source agent_evals_version vitest_version git config agent judge ' +
  'environment package summary cases'
).split(' ')

const CASE_FIELDS = (
  'name target verdict duration_seconds deterministic_checks judge_verdict agent_output_snippet error id suite format ' +
  'file line outcome category engine agent source recorded runs checks expectations scores weighted_score hard_fails ' +
  'trigger usage cost_usd sandbox inputs'
).split(' ')
