import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { describeLosses, supportedArguments } from '../../../src/engines/find.ts'

const FLAG = '--forward-subagent-text'

test.for([
  ['2.1.197', false],
  ['2.1.210-beta.1', false],
  ['2.1.211', true],
  ['2.2.0', true],
  ['3.0', true],
  [null, true],
] as const)('claude %s gets the flag of 2.1.211: %s', ([version, knows]) => {
  const found = { engine: claudeCode, executable: '/bin/claude', version }
  expect(supportedArguments(claudeCode, version, ['-p', FLAG, `${FLAG}=x`, '--verbose'])).toEqual(
    knows ? ['-p', FLAG, `${FLAG}=x`, '--verbose'] : ['-p', '--verbose'],
  )
  expect(describeLosses(found)).toEqual(
    knows
      ? []
      : [
          `claude-code ${version} has no \`${FLAG}\` (since 2.1.211). The transcript lacks what sub-agents write; their tool calls are in it. Update it: \`npm i -D @anthropic-ai/claude-code@latest\`.`,
        ],
  )
})
