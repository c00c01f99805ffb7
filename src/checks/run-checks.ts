import { checkAgentBlocked } from './agent-blocked.ts'
import { checkContains } from './contains.ts'
import { checkFileExists } from './file-exists.ts'
import { checkFileUnchanged } from './file-unchanged.ts'
import { checkFilesCreated } from './files-created.ts'
import { checkMatches } from './matches.ts'
import { checkNotContains } from './not-contains.ts'
import { checkNoSkillUsed, checkSkillUsed } from './skill-used.ts'
import type { DeclaredCheck, Target } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'

/** Checks a completed run against what its case declares, in that order. All are run, so that one failure hides no other. */
export function runChecks(
  declared: readonly DeclaredCheck[],
  run: AgentRun,
  target: Target | null,
): readonly CheckResult[] {
  return declared.map((check) => runCheck(check, run, target))
}

function runCheck(declared: DeclaredCheck, run: AgentRun, target: Target | null): CheckResult {
  switch (declared.kind) {
    case 'contains':
      return checkContains(declared, run)
    case 'not-contains':
      return checkNotContains(declared, run)
    case 'matches':
    case 'not-matches':
      return checkMatches(declared, run)
    case 'file-exists':
      return checkFileExists(declared, run)
    case 'file-unchanged':
      return checkFileUnchanged(declared, run)
    case 'files-created':
      return checkFilesCreated(declared, run)
    case 'agent-blocked':
      return checkAgentBlocked(declared, run, target)
    case 'skill-used':
    case 'skill-not-used':
      return checkSkillUsed(declared, run)
    case 'no-skill-used':
      return checkNoSkillUsed(declared, run)
  }
}
