import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { list } from '../../../../src/cli/commands/list.ts'
import { greetings } from '../../../support/eval-project.ts'
import { printed } from '../../../support/printed.ts'

test.for([
  ['--engine claude', 'The engine "claude" is not supported. Did you mean "claude-code"?'],
  ['--engine codex,copilott', 'The engine "copilott" is not supported. Did you mean "copilot"?'],
  ['--engine cursor', 'The engine "cursor" is not supported: '],
] as const)('list %s is refused', async ([flags, message]) => {
  await using fixture = await createFixture(greetings({ a: '' }))
  await expect(printed(list, '--root', fixture.path, ...flags.split(' '))).rejects.toMatchObject({
    code: 'unsupported-engine',
    message: expect.stringContaining(message) as string,
  })
})

test('list takes several engines', async () => {
  await using fixture = await createFixture({ 'package.agent.json': '{ "name": "p" }', ...greetings({ a: '' }) })
  expect(await printed(list, '--root', fixture.path, '--engine', 'codex,claude-code')).toContain('2 cases')
})
