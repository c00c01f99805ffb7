import { isSandboxDenial } from '../stream/sandbox-denial.ts'
import { skillSignal } from '../stream/skill-signal.ts'
import { withoutSpace } from '../../texts.ts'
import { blockerOf } from './blocker.ts'
import { hookName, SKILL_TOOLS } from './tool-names.ts'
import type { RecordTable } from '../record-table.ts'

/** It has no mark for a call that failed: how a command ended is in its words, and the rest only in the stream. */
export const RECORD_TABLE: RecordTable = {
  callOf: ({ name, input }) => ({ tool: hookName(name), input }),
  plainTool: (tool) => hookName(tool.replace(/^mcp__(.+?)__/, '$1-')),
  resultOf({ text, isError: isMarked }, shown) {
    const exitCode = /<shellId: \S+ (?:completed|exited) with exit code (\d+)>\s*$/.exec(text)?.[1]
    const isClaimed = shown?.isError === true && withoutSpace(text).startsWith(withoutSpace(shown.text))
    const isError = isMarked || (exitCode === undefined ? isClaimed && !LOADED.test(text) : exitCode !== '0')
    if (!isError) return { text, isError, blockedBy: null }
    if (exitCode !== undefined) return { text, isError, blockedBy: isSandboxDenial(text) ? 'sandbox' : null }
    const claimed = shown?.blockedBy ?? null
    return {
      text,
      isError,
      blockedBy:
        claimed === 'permission'
          ? claimed
          : blockerOf({ message: text, code: claimed === 'hook' ? 'denied' : '' }, text, true),
    }
  },
  skillsOf({ tool, input }) {
    const signal = skillSignal(tool, input, SKILL_TOOLS)
    return signal === null ? [] : [signal]
  },
  showsCalls: true,
  // It looks at commands in the background by itself.
  ownTools: ['read_bash'],
}

const LOADED = /^Skill ".*" loaded successfully/
