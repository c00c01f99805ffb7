// @module-tag claude-code
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { repositoryVitest, vitestMajors } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { CONFIG, greeting, greetings, readReport, readReports, verdicts } from '../support/eval-project.ts'
import type { FileTree } from 'fs-fixture'
import type { Report } from '../../src/report/report.ts'
import type { FinishedProcess } from '../support/running-process.ts'

/** A package without a configuration of Vitest: two cases, of which one fails. */
const FILES: FileTree = {
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }\n',
  'skills/pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDFs.\n---\nRead it.\n',
  ...greetings({ 'says-bye': 'Goodbye', 'says-hello': 'Hello, World' }),
  'evals/cases/about-pdf.yaml': greeting('about-pdf').replace('input:', 'target: skill:pdf-tools\ninput:'),
  'evals/scenarios/about-pdf.yaml': greetings({ x: 'Hello, PDF' })['evals/scenarios/x.yaml'] ?? '',
}

function runEvals(project: TestProject, ...args: string[]): Promise<FinishedProcess> {
  return project.agentEvals(['eval', ...args], { env: { AGENT_EVALS_SANDBOX: 'prefer' }, merged: true })
}

describeOnMajors(await vitestMajors(), 'the lines of the AAM text on $label', {}, (major) => {
  test("all evals, to a report of one's own: a failed case exits with 1", async () => {
    await using project = await createProject(major, FILES)
    const { exitCode } = await runEvals(project, '--report', '-o', 'report.json')
    expect(exitCode).toBe(1)
    const report = JSON.parse(await readFile(join(project.root, 'report.json'), 'utf8')) as Report
    expect(verdicts(report)).toEqual(['about-pdf PASS', 'says-bye FAIL', 'says-hello PASS'])
    expect(await readReports(project)).toEqual([])
  })

  test('the configuration of the user is used where there is one, and only its evals run', async () => {
    await using project = await createProject(major, {
      ...FILES,
      'vitest.config.ts': CONFIG.replace("{ sandbox: 'prefer' }", "{ sandbox: 'prefer', name: 'agent' }"),
      'unit.test.ts': "import { test } from 'vitest'\ntest('unit', () => { throw new Error('not asked for') })\n",
    })
    const { exitCode, all } = await project.agentEvals(['run', 'says-hello'], { merged: true })
    expect(all).toContain('1 passed (1)')
    expect(exitCode).toBe(0)
  })

  test('one of three cases on one line, by name, by column and by the printed command', async () => {
    const evals = ['one', 'two', 'three'].map((id) => ({
      id,
      prompt: `Say ${id}.`,
      expectations: [{ contains: 'Hello' }],
    }))
    await using project = await createProject(major, {
      'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nGreet.\n',
      'skills/greet/evals/evals.json': JSON.stringify(evals),
      'evals/scenarios/one.yaml': 'turns: [Hello]\n',
      'evals/scenarios/two.yaml': 'turns: [Bye]\n',
      'evals/scenarios/three.yaml': 'turns: [Hello]\n',
    })
    const ran = async (...args: readonly string[]): Promise<string> => {
      const { exitCode, all } = await runEvals(project, ...args)
      return `${exitCode} ${(await readReports(project))
        .at(-1)
        ?.cases.map(({ name }) => name)
        .join()} ${all}`
    }
    const file = 'skills/greet/evals/evals.json'
    const column = JSON.stringify(evals).indexOf('"two"') + 1
    const failed = await ran('two')
    expect(failed).toMatch(/^1 two /)
    expect(failed).toContain(`npx vitest-agent-evals run ${file}:1:${column}\n`)
    expect(await ran(`${file}:1:${column}`)).toMatch(/^1 two /)
    const refused = await ran(`${file}:1`)
    expect(refused).toMatch(/^2 /)
    expect(refused).toContain(
      `3 cases start at ${file}:1. Add the column: ${file}:1:8 is "one", ${file}:1:${column} is "two", `,
    )
    expect(await ran('one', 'three')).toMatch(/^0 one,three /)
  })
})

// What the command tells Vitest is the same on every major.
describe('the lines of the AAM text, without a configuration', () => {
  const major = repositoryVitest()

  test('one case by its name; the failure names the command that runs it again', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await runEvals(project, 'says-bye')
    expect(exitCode).toBe(1)
    expect(all).toContain('npx vitest-agent-evals run evals/cases/says-bye.yaml:1')
    expect(verdicts(await readReport(project))).toEqual(['says-bye FAIL'])
  })

  test('a target', async () => {
    await using project = await createProject(major, FILES)
    expect((await runEvals(project, '--target', 'skill:pdf-tools')).exitCode).toBe(0)
    expect(verdicts(await readReport(project))).toEqual(['about-pdf PASS'])
  })

  test('the judge that a flag names is the judge of the report, over that of eval-config.json', async () => {
    const config = '{ "version": 1, "engine": "claude-code", "judge": "claude-sonnet" }\n'
    await using project = await createProject(major, { ...FILES, 'evals/eval-config.json': config })
    await runEvals(project, 'says-hello')
    await runEvals(project, 'says-hello', '--judge', 'openai:gpt-5')
    const judges = (await readReports(project)).map(({ config: { judge } }) => judge)
    expect(judges).toEqual(['claude-sonnet', 'openai:gpt-5'])
  })

  test('a workspace that is kept is named with its case', async () => {
    await using project = await createProject(major, FILES)
    const { all } = await runEvals(project, 'says-hello', '--keep-workspace')
    const [, workspace = ''] = /Workspaces {2}(\S+) {2}says-hello/.exec(all) ?? []
    expect(existsSync(workspace), all).toBe(true)
    await rm(dirname(workspace), { recursive: true })
    expect(JSON.stringify(await readReport(project))).not.toContain(workspace)
  })

  test('coverage of the configuration is left out of a run of evals, unless it is asked for', async () => {
    const coverage = "{ enabled: true, provider: 'custom', customProviderModule: './provider.mjs' }"
    await using project = await createProject(major, {
      ...FILES,
      'vitest.config.ts': CONFIG.replace('plugins:', `test: { coverage: ${coverage} }, plugins:`),
      'provider.mjs': [
        'export default {',
        '  getProvider: () => ({',
        "    name: 'custom', initialize() {}, resolveOptions: () => ({ reporter: [], reportsDirectory: 'x', clean: false }),",
        "    clean() {}, onAfterSuiteRun() {}, generateCoverage: () => ({}), reportCoverage() { console.log('below the threshold'); process.exitCode = 1 },",
        '  }),',
        '  startCoverage() {}, takeCoverage() {}, stopCoverage() {},',
        '}',
        '',
      ].join('\n'),
    })
    for (const start of [['run', '--project', 'evals', 'says-hello'], []]) {
      const plain =
        start.length > 0 ? await project.run(start, { merged: true }) : await runEvals(project, 'says-hello')
      expect([plain.exitCode, plain.all.includes('below the threshold')], plain.all).toEqual([0, false])
    }
    expect((await runEvals(project, 'says-hello', '--coverage')).all).toContain('below the threshold')
  })

  test('an engine that is not there yet is errored: 2', async () => {
    await using project = await createProject(major, FILES)
    expect((await runEvals(project, '--engine', 'codexx', 'says-hello')).exitCode).toBe(2)
    expect(verdicts(await readReport(project))).toEqual(['says-hello ERROR unsupported-engine'])
  })

  test('a dry run starts and writes nothing', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await runEvals(project, '--dry-run')
    expect(exitCode).toBe(0)
    expect(all).toContain('answered by scenario')
    expect(existsSync(join(project.root, 'evals/reports'))).toBe(false)
  })

  test.for([
    [['says-helo'], 'agent-evals run: No case, agent or file matches "says-helo". Did you mean "says-hello"?'],
    [
      ['--target', 'skill:pdf-tool'],
      'agent-evals run: No case has the target "skill:pdf-tool". Did you mean "skill:pdf-tools"?',
    ],
    [
      ['--enigne', 'codex'],
      'agent-evals run: --enigne is not known. Did you mean --engine? If it is an option of Vitest, put it behind --.',
    ],
    [['--timeout', 'soon'], 'agent-evals run: --timeout is "soon": expected a number.'],
  ] as const)('%j is refused before anything starts', async ([args, message]) => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await runEvals(project, ...args)
    expect({ exitCode, all }).toEqual({ exitCode: 2, all: message })
  })

  test('a wrong value is named by the flag or by the variable that has it', async () => {
    await using project = await createProject(major, FILES)
    const { all } = await project.agentEvals(['run'], { env: { AGENT_EVALS_SOURCE: 'rec' }, merged: true })
    expect(all).toBe('agent-evals run: AGENT_EVALS_SOURCE is "rec": expected "auto" or "live" or "record" or "replay".')
  })

  test('help for an unknown word is an error with the nearest one', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await project.agentEvals(['help', 'stal'], { merged: true })
    const message = 'agent-evals help: there is no command or error code "stal". Did you mean "stale"?'
    expect({ exitCode, all }).toEqual({ exitCode: 2, all: message })
  })
})
