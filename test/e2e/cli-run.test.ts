// @module-tag claude-code
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { greeting, greetings, PACKAGE, readReport, readReports, verdicts } from '../support/eval-project.ts'
import { shellCases, shellConfig } from '../support/shell-engine.ts'
import type { FileTree } from 'fs-fixture'
import type { Report } from '../../src/report/report.ts'
import type { FinishedProcess } from '../support/running-process.ts'

/** A package without a configuration of Vitest: two cases, of which one fails. */
const FILES: FileTree = {
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'evals/eval-config.json': '{ "version": 1, "engine": "claude-code", "judge": "claude-sonnet" }\n',
  'skills/pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDFs.\n---\nRead it.\n',
  ...greetings({ 'says-bye': 'Goodbye', 'says-hello': 'Hello, World' }),
  'evals/cases/about-pdf.yaml': greeting('about-pdf').replace('input:', 'target: skill:pdf-tools\ninput:'),
  'evals/scenarios/about-pdf.yaml': greetings({ x: 'Hello, PDF' })['evals/scenarios/x.yaml'] ?? '',
}

function runEvals(project: TestProject, ...args: string[]): Promise<FinishedProcess> {
  return project.agentEvals(['eval', ...args], { env: { AGENT_EVALS_SANDBOX: 'prefer' }, merged: true })
}

describeOnMajors('the lines of the AAM text on $label', [], (major) => {
  test("all evals, to a report of one's own: a failed case exits with 1", async () => {
    await using project = await createProject(major, FILES)
    const { exitCode } = await runEvals(project, '--report', '-o', 'report.json')
    expect(exitCode).toBe(1)
    const report = JSON.parse(await readFile(join(project.root, 'report.json'), 'utf8')) as Report
    expect(verdicts(report)).toEqual(['about-pdf PASS', 'says-bye FAIL', 'says-hello PASS'])
    expect(await readReports(project)).toEqual([])
  })

  test(
    'the configuration of the user is used where there is one, and only its evals run, without its coverage',
    { tags: ['slow'] },
    async () => {
      const coverage = "{ enabled: true, provider: 'custom', customProviderModule: './provider.mjs' }"
      await using project = await createProject(major, {
        ...PACKAGE,
        'vitest.config.ts': shellConfig({ name: 'agent' }, `test: { coverage: ${coverage} }`),
        ...shellCases({ 'says-hello': 'echo Hello' }),
        'unit.test.ts': "import { test } from 'vitest'\ntest('unit', () => { throw new Error('not asked for') })\n",
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
      for (const plain of [
        await project.run(['run', '--project', 'agent', 'says-hello'], { merged: true }),
        await project.agentEvals(['run', 'says-hello'], { merged: true }),
      ]) {
        expect(plain.all).toContain('1 passed (1)')
        expect([plain.exitCode, plain.all.includes('below the threshold')], plain.all).toEqual([0, false])
      }
      const covered = await project.agentEvals(['run', 'says-hello', '--coverage'], { merged: true })
      expect(covered.all, 'asked for').toContain('below the threshold')
    },
  )

  test('one of three cases on one line, by name, by column and by the printed command', async () => {
    const evals = ['one', 'two', 'three'].map((id) => ({
      id,
      prompt: `echo ${id === 'two' ? 'Bye' : 'Hello'}`,
      expectations: [{ contains: 'Hello' }],
    }))
    await using project = await createProject(major, {
      ...shellCases({}),
      'vitest.config.ts': shellConfig(),
      'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nGreet.\n',
      'skills/greet/evals/evals.json': JSON.stringify(evals),
      ...Object.fromEntries(evals.map(({ id }) => [`evals/scenarios/${id}.yaml`, 'turns: [Hello]\n'])),
    })
    const ran = async (...args: readonly string[]): Promise<string> => {
      const { exitCode, all } = await project.agentEvals(['run', ...args], { merged: true })
      return `${exitCode} ${(await readReports(project))
        .at(-1)
        ?.cases.map(({ name }) => name)
        .join()} ${all}`
    }
    const file = 'skills/greet/evals/evals.json'
    const column = JSON.stringify(evals).indexOf('"two"') + 1
    expect(await ran('one', 'three')).toMatch(/^0 one,three /)
    const failed = await ran(`${file}:1:${column}`)
    expect(failed).toMatch(/^1 two /)
    expect(failed).toContain(`npx vitest-agent-evals run ${file}:1:${column}\n`)
    const refused = await ran(`${file}:1`)
    expect(refused).toMatch(/^2 /)
    expect(refused).toContain(
      `3 cases start at ${file}:1. Add the column: ${file}:1:8 is "one", ${file}:1:${column} is "two", `,
    )
  })
})

// What the command tells Vitest is the same on every major.
describe('the lines of the AAM text, without a configuration', () => {
  const major = repositoryVitest()

  test('one case by its name: its failure names the command that runs it again, and its workspace where it is kept', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await runEvals(project, 'says-bye', '--keep-workspace')
    expect(exitCode).toBe(1)
    expect(all).toContain('npx vitest-agent-evals run evals/cases/says-bye.yaml:1')
    const report = await readReport(project)
    expect(verdicts(report)).toEqual(['says-bye FAIL'])
    expect(report.config.judge).toBe('claude-sonnet')
    const [, workspace = ''] = /Workspaces {2}(\S+) {2}says-bye/.exec(all) ?? []
    expect(existsSync(workspace), all).toBe(true)
    await rm(dirname(workspace), { recursive: true })
    expect(JSON.stringify(report)).not.toContain(workspace)
  })

  test('a target, with the judge that a flag names over that of eval-config.json', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await runEvals(project, '--target', 'skill:pdf-tools', '--judge', 'openai:gpt-5')
    expect(exitCode, all).toBe(0)
    const report = await readReport(project)
    expect(verdicts(report)).toEqual(['about-pdf PASS'])
    expect(report.config.judge).toBe('openai:gpt-5')
  })

  test('a dry run starts and writes nothing', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await runEvals(project, '--dry-run')
    expect(exitCode).toBe(0)
    expect(all).toContain('answered by scenario')
    expect(existsSync(join(project.root, 'evals/reports'))).toBe(false)
  })

  test.for([
    [
      ['--engine', 'claud'],
      'agent-evals run: The engine "claud" is not supported. Did you mean "claude-code"? Use one of: claude-code, codex, copilot, messages.',
    ],
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
    expect(all).toBe(
      'agent-evals run: AGENT_EVALS_SOURCE is "rec": expected "auto" or "live" or "record" or "replay". Did you mean "record"?',
    )
  })

  test('help for an unknown word is an error with the nearest one', async () => {
    await using project = await createProject(major, FILES)
    const { exitCode, all } = await project.agentEvals(['help', 'stal'], { merged: true })
    const message = 'agent-evals help: there is no command or error code "stal". Did you mean "stale"?'
    expect({ exitCode, all }).toEqual({ exitCode: 2, all: message })
  })
})
