import { writeResponse } from '../../report/export/write-evidence.ts'
import { task } from './task.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { CaseKind } from './kind.ts'

/** A golden test: a task that an agent's rubric scores, whose response is kept to be read. */
export const goldenTest: CaseKind<EvalCase, CaseResult> = {
  ...task,
  start(...asked) {
    const started = task.start(...asked)
    return {
      ...started,
      async assess(executed) {
        const { evidence, outcome } = executed
        await evidence.keep((folder, redactor) => writeResponse(folder, outcome.run, redactor))
        return started.assess(executed)
      },
    }
  },
}
