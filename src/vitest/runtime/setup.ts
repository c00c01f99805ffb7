import { beforeEach, expect } from 'vitest'
import { leaveWithMain } from './leave-with-main.ts'
import { toHavePassedCheck } from './passed-check.ts'
import { limitRetry } from './retry.ts'
import '../../register.ts'

expect.extend({ toHavePassedCheck })
beforeEach(({ task }) => limitRetry(task))
leaveWithMain()
