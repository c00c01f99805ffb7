/** Outcomes in the words of the AAM text. */
export const VERDICTS = { passed: 'PASS', failed: 'FAIL', errored: 'ERROR', skipped: 'SKIP' } as const

/** The outcome of each verdict. */
export const OUTCOMES = { PASS: 'passed', FAIL: 'failed', ERROR: 'errored', SKIP: 'skipped' } as const
