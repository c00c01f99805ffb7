// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
// @module-tag long
import { chmod, cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { claudeFolder, codexFolder, copilotVariables } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { CONFIG, greetings, PACKAGE, readReports, verdicts } from '../support/eval-project.ts'

/** A scenario of a skill, one of a hook, one of a sub-agent, and trigger queries. */
const KINDS = [
  'evals/cases/pdf-extraction-e2e.yaml',
  'evals/cases/hook-blocks-protected-write.yaml',
  'evals/cases/review-is-delegated.yaml',
  'triggers.json',
]

/** The oldest supported version of each engine. */
const VERSIONS = [
  ['claude-code', '2.1.150'],
  ['codex', '0.150.0'],
  ['copilot', '1.0.85'],
] as const

describe('a case of each kind', { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test.for(VERSIONS)('replays on %s %s', async ([engine, version]) => {
    await using project = await exampleProject()
    const finished = await project.run(['run', '--project', 'evals', ...KINDS], {
      env: { AGENT_EVALS_ENGINE: engine, AGENT_EVALS_SOURCE: 'replay', ...(await variablesOf(engine, version)) },
    })
    const cases = (await readReports(project)).flatMap((report) => report.cases)
    expect(cases.length, finished.all).toBeGreaterThanOrEqual(KINDS.length)
    expect(
      cases.map(({ name, verdict, agent }) => [name, verdict, agent.runtime_version]),
      finished.all,
    ).toEqual(cases.map(({ name }) => [name, 'PASS', version]))
    const lost = cases.filter(({ notices }) =>
      notices.some((notice) => notice.includes('has no `--forward-subagent-text`')),
    )
    expect(lost).toHaveLength(engine === 'claude-code' ? cases.length : 0)
  })
})

test('a version that is too old is one error before anything runs', { tags: ['claude-code'] }, async () => {
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'vitest.config.ts': CONFIG,
    ...greetings({ 'a-case': 'Hello, World', 'b-case': 'Hello, World' }),
  })
  await using old = await createFixture({ 'node_modules/.bin/claude': '#!/bin/sh\necho "2.1.149 (Claude Code)"\n' })
  await chmod(old.getPath('node_modules/.bin/claude'), 0o755)
  const finished = await project.run(['run', '--project', 'evals'], { env: { AGENT_EVALS_ENGINES: old.path } })
  expect(finished.exitCode, finished.all).toBe(1)
  const lines = finished.all.split('\n').filter((line) => line.includes('is too old'))
  expect(lines, finished.all).toEqual([
    expect.stringMatching(
      /claude-code 2\.1\.149 is too old: 2\.1\.150 is the oldest supported version\. Update .*: `npm i -D @anthropic-ai\/claude-code@latest`\./,
    ) as string,
  ])
  // The frames of this package help nobody.
  expect(finished.all).not.toMatch(/requireSupported|checkEngine|onTestRunStart/)
  expect((await readReports(project)).flatMap(verdicts)).toEqual([])
})

async function exampleProject(): Promise<TestProject> {
  const project = await createProject(repositoryVitest())
  const isOwn = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports|runs)(?:\/|$)/.test(file)
  await cp(join(REPOSITORY, 'example-package'), project.root, { recursive: true, filter: isOwn })
  await rm(join(project.root, 'evals/scenarios'), { recursive: true })
  return project
}

async function variablesOf(
  engine: (typeof VERSIONS)[number][0],
  version: string,
): Promise<Readonly<Record<string, string>>> {
  if (engine === 'copilot') return copilotVariables(version)
  return { AGENT_EVALS_ENGINES: await (engine === 'codex' ? codexFolder(version) : claudeFolder(version)) }
}
