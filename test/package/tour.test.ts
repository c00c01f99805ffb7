// @module-tag slow
import { cp, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'

/** One edit of the tour, as the README of the example package describes it. */
interface Step {
  readonly title: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly name: string
  readonly outcome: string
  readonly shown: string
}

const EXAMPLE = join(REPOSITORY, 'example-package')
const STEP =
  /^### \d\. (?<title>.+)\n\nIn `(?<file>[^`]+)`, replace `(?<from>[^`]+)` with `(?<to>[^`]+)`\.\n\n```sh\nnpm run evals -- -t (?<name>\S+)\n```\n\n\*\*(?<outcome>[a-z ]+)\*\*: `(?<shown>[^`]+)`/gm

const readme = await readFile(join(EXAMPLE, 'README.md'), 'utf8')
const steps = [...readme.matchAll(STEP)].map(({ groups }) => groups as unknown as Step)

test('the tour has seven edits and shows failed, errored, stale and drifted', () => {
  expect(steps).toHaveLength(7)
  expect(new Set(steps.map(({ outcome }) => outcome))).toEqual(new Set(['failed', 'errored', 'failed file']))
  for (const code of ['stale', 'drifted', 'hook-failed-open']) expect(readme).toContain(`\`${code}\``)
})

// Unconfined, the agent would write to /etc of this machine.
const isConfined =
  claudeExecutable() !== null && ['/usr/bin/bwrap', '/usr/local/bin/bwrap'].some((one) => existsSync(one))

describe.runIf(isConfined)('each edit does what the tour says', { tags: ['claude-code'] }, () => {
  test.for(steps)('$title', async ({ file, from, to, name, outcome, shown }) => {
    await using project = await createProject(repositoryVitest())
    await cp(EXAMPLE, project.root, {
      recursive: true,
      filter: (path) => !/\/(?:reports|node_modules|\.vitest)$/.test(path),
    })
    const text = await project.files.readFile(file, 'utf8')
    expect(text).toContain(from)
    await project.files.writeFile(file, text.replace(from, to))
    const report = '--project=evals'
    const { all, exitCode } = await project.run(['run', report, '-t', name], { merged: true })
    expect(exitCode, all).toBe(1)
    expect(all).toContain(shown)
    if (outcome === 'failed file') expect(all).toContain(`FAIL  |evals| ${file}`)
    else expect(all).toMatch(new RegExp(`Agent Evals .*1 ${outcome}`))
  })
})
