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

/** Leaves out the files that the tags leave out, and begins slow ones first: last, one of them would run alone. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inherited = super.sort.bind(this)
    const sorted = await inherited(files)
    const texts = new Map(sorted.map((file) => [file, readFileSync(file.moduleId, 'utf8')]))
    const textOf = (file: TestSpecification): string => texts.get(file) ?? ''
    const chosen = sorted.filter((file) => mayMatch(textOf(file), this.ctx.config.tagsFilter ?? []))
    const slow = new Set(chosen.filter((file) => textOf(file).includes('@module-tag slow')))
    return [...slow, ...chosen.filter((file) => !slow.has(file))]
  }
}

/** A test that runs twice wants to see both. */
const NO_CACHE = { AGENT_EVALS_CACHE: '0' }

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    reporters: report === '' ? ['default'] : ['default', ['json', { outputFile: report }]],
    tags: [
      { name: 'claude-code', description: 'Starts the real claude CLI.' },
      { name: 'codex', description: 'Starts the real codex CLI.' },
      { name: 'copilot', description: 'Starts the real copilot CLI.' },
      { name: 'no-engine', description: 'Starts no agent CLI.' },
      { name: 'slow', description: 'Left out of `npm test`, which a newcomer runs within ten minutes.' },
      { name: 'table', description: 'Many versions and machines; only `npm run test:all` runs them.' },
      { name: 'major', description: 'Repeats on the second Vitest major what the first one shows.' },
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
        test: {
          name: 'e2e',
          ...SHARED,
          env: NO_CACHE,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          // Each file has one Vitest with one worker and its sessions under way, which wait for each other.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
          // Only what hangs takes as long.
          testTimeout: 600_000,
          expect: PATIENT,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'corpus',
          ...SHARED,
          env: NO_CACHE,
          include: ['test/corpus/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          sequence: { groupOrder: 2 },
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'package',
          ...SHARED,
          env: NO_CACHE,
          include: ['test/package/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          sequence: { groupOrder: 2 },
          testTimeout: 600_000,
          expect: PATIENT,
          hookTimeout: 600_000,
        },
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
