import { expect, test } from 'vitest'
import { outputOf } from '../support/command.ts'

/** One file of each room that took files of version 0.1, and its path there. */
const MOVED = {
  'src/agent/observed-steps.ts': 'src/session/heard-steps.ts',
  'src/assert/run-assert-case.ts': 'src/run-assert-case.ts',
  'src/case/run-case.ts': 'src/run-case.ts',
  'src/case/assess/before-texts.ts': 'src/session/original-texts.ts',
  'src/case/judge/judge-case.ts': 'src/session/judge-case.ts',
  'src/conversation/thread.ts': 'src/gateway/lane.ts',
  'src/documents/tracked-fs.ts': 'src/suites/disk.ts',
  'src/packages/load-package.ts': 'src/suites/load-package.ts',
  'src/replay/package-texts.ts': 'src/session/our-texts.ts',
  'src/results/journal/journal.ts': 'src/report/journal.ts',
  'src/settings.ts': 'src/run-settings.ts',
}

test('git log --follow finds the history of moved files', async ({ skip }) => {
  const git = (...args: readonly string[]): Promise<string> => outputOf('git', args)
  const before = await git('log', '--format=%h', '--', ...Object.values(MOVED)).catch(() => '')
  skip(before === '', 'needs a clone with the history of version 0.1')

  const found = await Promise.all(
    Object.keys(MOVED).map(async (path) => {
      const paths = await git('log', '--follow', '--format=', '--name-only', '--', path)
      return [path, paths.trim().split('\n').at(-1)]
    }),
  )
  expect(Object.fromEntries(found)).toEqual(MOVED)
})
