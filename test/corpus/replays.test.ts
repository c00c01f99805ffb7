// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { buildPage, inputOfReport } from '../../src/report/page/build-page.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { copyProject } from '../support/copy-project.ts'
import { REPOSITORY } from '../support/repository.ts'

const OF_ONE_RUN = new Set(
  `id timestamp at generated_at duration_seconds seconds times session_id commit dirty node_version python_version os arch
  vitest_version enforced folder hash hashes size engine_version runtime_version agent_evals_version price_table started_at
  plan inputs key durationMs`.split(/\s+/),
)

test.for([
  ['example-package', []],
  // `plugin-eval-replay.test.ts` replays all of its cases.
  ['example-plugin', ['evals/arms', 'evals/judge/', 'evals/mock-calls', 'evals/scaffold']],
] as const)('the reports and pages of %s are as before', async ([example, filters]) => {
  await using project = await createProject(repositoryVitest())
  await copyProject(join(REPOSITORY, example), project.root)
  const finished = await project.agentEvals(['run', '--source', 'replay', ...filters])
  const reports = globSync('**/reports/*.json', {
    cwd: project.root,
    ignore: '**/node_modules/**',
    dot: true,
  }).toSorted()
  expect(reports.length, finished.all).toBeGreaterThan(0)
  const texts = reports.map((file) => {
    const { overview, details } = buildPage(inputOfReport(join(project.root, file)).input)
    const runs = [...details].flatMap(({ detail }) => [`# ${detail.case.id}`, ...detail.runs.flatMap(linesOfRun)])
    const { reports: shown, ...page } = overview
    return [
      `## ${file.replace(/[^/]+$/, '*.json')}`,
      ...[shown[0], page].map((one) => JSON.stringify(withoutRun(one), null, 1)),
      ...runs,
    ].join('\n')
  })
  const snapshot = clean(`${texts.join('\n\n')}\n\nexit ${finished.exitCode}\n`, project.root)
  await expect(snapshot).toMatchFileSnapshot(join(import.meta.dirname, `replays/${example}.txt`))
})

test('what scenarios record is as before', async () => {
  await using project = await createProject(repositoryVitest())
  await copyProject(join(REPOSITORY, 'example-package'), project.root)
  await rm(join(project.root, 'evals/recordings/cases'), { recursive: true })
  const finished = await project.agentEvals(['run', 'evals/cases', '--record', '--yes'])
  const files = globSync('evals/recordings/cases/**/claude-code*.json', { cwd: project.root }).toSorted()
  expect(files.length, finished.all).toBeGreaterThan(5)
  const texts = await Promise.all(
    files.map(async (file) => {
      const recording: unknown = JSON.parse(await readFile(join(project.root, file), 'utf8'))
      return `## ${file}\n${JSON.stringify(withoutRun(recording), null, 1)}`
    }),
  )
  const snapshot = clean(`${texts.join('\n\n')}\n`, project.root)
  await expect(snapshot).toMatchFileSnapshot(join(import.meta.dirname, 'replays/recordings.txt'))
})

/** The same without times, ids, hashes and versions: those of a machine or of one run. */
function withoutRun(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRun)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !OF_ONE_RUN.has(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutRun(one)]))
}

function linesOfRun({
  missing,
  events,
  files,
  cut,
}: {
  readonly missing: string | null
  readonly events: readonly object[]
  readonly files: readonly object[]
  readonly cut: readonly string[]
}): readonly string[] {
  const lines = [...events, ...files].map((one) => JSON.stringify(withoutRun(one)).slice(0, 400))
  return [`run ${missing ?? ''}`, ...lines, ...cut]
}

function clean(text: string, root: string): string {
  return text
    .replaceAll(root, '<root>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d[\d.-]*Z(?:-[0-9a-f]{6})?/g, '<time>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<uuid>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replaceAll(/\bmock [0-9a-f]{16}\b/g, 'mock <nonce>')
}
