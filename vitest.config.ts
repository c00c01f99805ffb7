import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { mayMatch } from './test/support/select-files.ts'

const report = process.env['TEST_REPORT'] ?? ''

/** How often CI repeats a failed test: real processes on a shared machine, where what fails twice has failed. */
const RETRY = Number(process.env['TEST_RETRIES'] ?? (process.env['CI'] === undefined ? 0 : 1))

/** Files of a worker load the sources once: in a process each, loading them took most of the time. */
const SHARED = { isolate: false, unstubEnvs: true, unstubGlobals: true, retry: RETRY }

/** What a test waits for comes later on a busy machine: Vitest's own second would make such a test red there. */
const PATIENT = { poll: { timeout: 20_000 } }

/** Leaves out the files that the tags leave out, and begins with those that take long: last, one of them would run alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inherited = super.sort.bind(this)
    const texts = (await inherited(files)).map((file) => ({ file, text: readFileSync(file.moduleId, 'utf8') }))
    return texts
      .filter(({ text }) => mayMatch(text, this.ctx.config.tagsFilter ?? []))
      .toSorted((left, right) => rankOf(left.text) - rankOf(right.text))
      .map(({ file }) => file)
  }
}

function rankOf(text: string): number {
  const rank = ['long', 'slow'].findIndex((tag) => text.includes(`@module-tag ${tag}\n`))
  return rank < 0 ? 2 : rank
}

/** A test that runs twice wants to see both. */
const NO_CACHE = { AGENT_EVALS_CACHE: '0' }

/** Projects of files that start Vitest and agents. */
const SESSIONS = {
  ...SHARED,
  env: NO_CACHE,
  globalSetup: ['test/support/build.ts'],
  // Each file has one Vitest with one worker and its sessions under way, which wait for each other.
  maxWorkers: availableParallelism() + 2,
  sequence: { groupOrder: 1 },
  // Only what hangs takes as long.
  testTimeout: 600_000,
  expect: PATIENT,
  hookTimeout: 600_000,
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    reporters: report === '' ? ['default'] : ['default', ['json', { outputFile: report }]],
    tags: [
      { name: 'claude-code', description: 'Starts the real claude CLI.' },
      { name: 'codex', description: 'Starts the real codex CLI.' },
      { name: 'copilot', description: 'Starts the real copilot CLI.' },
      { name: 'no-engine', description: 'Starts no agent CLI.' },
      { name: 'slow', description: 'Left out of `npm test`, which a newcomer runs within six minutes.' },
      { name: 'long', description: 'Takes minutes, so it begins before the others.' },
      { name: 'major', description: 'Repeats on the second Vitest major what the first one shows, in seven files.' },
    ],
    projects: [
      {
        test: {
          name: 'unit',
          ...SHARED,
          include: ['test/unit/**/*.test.ts'],
          // Many start real processes, which take their time on a busy machine.
          testTimeout: 120_000,
          expect: PATIENT,
        },
      },
      {
        test: { name: 'e2e', ...SESSIONS, include: ['test/e2e/**/*.test.ts'] },
      },
      {
        test: { name: 'corpus', ...SESSIONS, include: ['test/corpus/*.test.ts'] },
      },
      {
        test: { name: 'package', ...SESSIONS, include: ['test/package/*.test.ts'] },
      },
      {
        test: {
          name: 'types',
          include: [],
          // What is published is compared with the sources.
          globalSetup: ['test/support/build.ts'],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/**/*.test-d.ts'],
            tsconfig: 'test/types/tsconfig.json',
            ignoreSourceErrors: true,
          },
        },
      },
    ],
  },
})
