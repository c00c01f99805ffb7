// @module-tag claude-code
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programsWithout } from '../support/bare-machine.ts'
import { config, PACKAGE, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import type { Report } from '../../src/report/report.ts'

const COPY =
  'cp fixtures/sample.pdf output/extracted.txt && cmp fixtures/sample.pdf evals/fixtures/sample.pdf && ls -d src output'

/** The configuration and the case of the AAM text. The model copies its fixture into a folder that nobody made. */
const EXAMPLE = {
  ...PACKAGE,
  'vitest.config.ts': config(''),
  'skills/pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Extracts the text of PDF files.\n---\nExtract it.\n',
  'evals/eval-config.json': JSON.stringify({
    version: 1,
    engine: 'claude-code',
    timeout: 120,
    judge: 'claude-sonnet',
    sandbox: { network: false, 'writable-paths': ['src/', 'output/'] },
    env: { EVAL_MODE: 'true' },
  }),
  'evals/cases/pdf-extraction-e2e.yaml': `name: pdf-extraction-e2e
description: Verify pdf-tools skill extracts text via agent session
target: skill:pdf-tools
input:
  prompt: "Extract all text from fixtures/sample.pdf"
  files:
    - fixtures/sample.pdf
  workspace-files:
    - src/empty.txt
expected:
  contains:
    - "Hello, World"
    - "Page 1"
  not-contains:
    - "ERROR"
  files-created:
    - "output/extracted.txt"
judge:
  criteria: >
    Output must include all visible text from the PDF.
`,
  'evals/scenarios/pdf-extraction-e2e.yaml': JSON.stringify({
    turns: [
      { tools: [{ name: 'Skill', input: { skill: 'pdf-tools' } }] },
      { tools: [{ name: 'Bash', input: { command: COPY, description: 'Extract' } }] },
      'Hello, World\nPage 1',
    ],
    judge: [[{ verdict: 'pass', reason: 'All of it.', quote: 'Hello, World' }]],
  }),
}

test('the first CI job of the docs replays the example of the specification without a sandbox, as it was recorded in one', async () => {
  await using project = await createProject(repositoryVitest(), EXAMPLE)
  await cp(
    join(REPOSITORY, 'example-package/evals/fixtures/sample.pdf'),
    project.files.getPath('evals/fixtures/sample.pdf'),
  )
  const recorded = await project.agentEvals(['run', '--record'], { merged: true })
  expect(recorded.exitCode, recorded.all).toBe(0)
  await project.files.rm('evals/scenarios')

  const page = await readFile(join(REPOSITORY, 'docs/ci.md'), 'utf8')
  const line = /- run: npx vitest-agent-evals (run --source replay .*)/.exec(page)?.[1] ?? ''
  await using programs = await programsWithout('bwrap', 'socat')
  const env = { PATH: programs.path, CI: '1' }
  const replayed = await project.agentEvals(line.split(' '), { merged: true, env })
  expect(replayed.exitCode, replayed.all).toBe(0)
  const report = JSON.parse(await project.files.readFile('evals-report.json', 'utf8')) as Report
  expect(verdicts(report)).toEqual(['pdf-extraction-e2e PASS'])
  expect(report.cases[0]).toMatchObject({
    source: 'replay',
    sandbox: { enforced: expect.stringMatching(/^none/) as string },
  })
})
