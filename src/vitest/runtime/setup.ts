import { beforeEach, expect } from 'vitest'
import { exitWithMain } from './exit-with-main.ts'
import { checkMatcher } from './check-matcher.ts'
import { readSettings } from './read-settings.ts'
import { limitRetry } from './retry.ts'
import '../matchers/register.ts'

expect.extend({ toHavePassedCheck: checkMatcher })
beforeEach(async ({ task, signal, onTestFinished }) => {
  limitRetry(task)
  // A case of a suite file leaves its result itself.
  if (!CODE.test(task.file.filepath)) return
  const { recordTest } = await import('./test-record.ts')
  await recordTest({ task, signal, onTestFinished }, readSettings())
})
exitWithMain()

const CODE = /\.[cm]?[jt]sx?$/
