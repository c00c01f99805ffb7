// @module-tag no-engine
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { config, PACKAGE, readReport, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { SHELL_ENGINE, SHELL_VARIABLES, shellCases } from '../support/shell-engine.ts'

const RECORDINGS: Readonly<Record<string, (file: string) => void>> = {
  huge: (file) => (writeFileSync(file, ''), truncateSync(file, 280 * 1024 * 1024)),
  zeros: (file) => symlinkSync('/dev/zero', file),
  pipe: (file) => void execFileSync('mkfifo', [file]),
}

test('no recording ends lint, list or a run', async () => {
  const scripts = Object.fromEntries(['good', ...Object.keys(RECORDINGS)].map((name) => [name, 'echo Hello']))
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    ...shellCases(scripts),
    'vitest.config.ts': config(`{ sandbox: 'prefer', engines: ${JSON.stringify(SHELL_ENGINE)} }`),
  })
  for (const [name, make] of Object.entries(RECORDINGS)) {
    const folder = join(project.root, 'evals/recordings/cases', name)
    mkdirSync(folder, { recursive: true })
    make(join(folder, 'shell.1.json'))
  }
  const options = { env: { ...SHELL_VARIABLES, NODE_OPTIONS: '--max-old-space-size=400' }, merged: true }

  const linted = await project.agentEvals(['lint'], options)
  // Links and pipes are no recordings to it.
  expect(linted.stdout).toContain('huge/shell.1.json:1:1')
  expect(linted.stdout).toContain('is not a valid recording: it is larger than 32 MiB')
  const listed = await project.agentEvals(['list', '--json'], options)
  expect((JSON.parse(listed.stdout) as { readonly cases: readonly unknown[] }).cases.length).toBe(4)
  const ran = await project.agentEvals(['run'], options)
  expect(verdicts(await readReport(project)).toSorted(), ran.stdout).toEqual([
    'good PASS',
    'huge ERROR recording-invalid',
    'pipe ERROR recording-invalid',
    'zeros ERROR recording-invalid',
  ])
})
