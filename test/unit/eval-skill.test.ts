import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

const SKILL = readFileSync(join(REPOSITORY, 'skills/eval/SKILL.md'), 'utf8')

// What `test/e2e/eval-skill.test.ts` plays are two of its answers; this is all that it is told.
test.for([
  ['leaves all of the work to the command', /The command `vitest-agent-evals` does all of the work/],
  ['takes the agent from the request or asks which one', /such as `\/eval caldwell`.*ask which one\./],
  ['asks for the scope', /Ask for the scope.*the full suite, one category .*or one test by its id/],
  ['confirms the expected cost', /State how many tests will run, and their expected cost: .*Wait for a yes\./],
  ['runs the command for the summary alone', /^npx vitest-agent-evals run AGENT SCOPE --summary-only$/m],
  ['reads the lines of the run from its log', /Read the file that the line `Results saved:` names/],
  ['presents each test', /For each test: id and category, verdict, weighted score, .*justification, and the cost/],
  ['presents the run', /For the run: pass rate, average score, number of hard fails, total cost, and the path/],
  ['gives the whole justification of a failed test', /For each failed test, give the judge's complete justification/],
  ['leads to the response of a failed test', /path below `evals\/runs\/responses\/`\. Suggest opening that file/],
  ['says when the threshold may need recalibration', /average score is below `threshold_pass`.*recalibration/],
  ['puts hard fails first', /Put hard fails first and make them prominent/],
  ['repeats what is to be audited', /If there is a line `Audit sample for review`, repeat it/],
  ['never edits a rubric, a judge or a test', /Never edit rubric\.md, judge\.md or a golden test/],
  ['only reads the log', /Never write below `evals\/runs\/`; only read/],
  ['never hides a cost', /Never round a cost down to zero, and never omit it/],
] as const)('the skill `eval` %s', ([, told]) => {
  expect(SKILL).toMatch(told)
})
