import { expect, test } from 'vitest'
import * as matchers from '../../../../src/matchers.ts'
import { agentRun } from '../../../support/agent-run.ts'
import '../../../../src/register.ts'

type Matcher = keyof typeof matchers

const TRIGGER = { skill: 'pdf', rate: 1, threshold: 0.5, fired: 1, completed: 1, runs: [] }
const NO_NAME = [[], [undefined], [null], [''], ['a b'], [7]]
const NO_TEXT = [[], [undefined], [null], [''], [7]]
const NO_PATH = [...NO_TEXT, ['/etc/x'], ['../x'], ['a.txt', 'b.txt']]
const NO_LIMIT = [[], [undefined], ['1'], [0], [Number.NaN], [Number.POSITIVE_INFINITY]]
const NO_PATTERN = [...NO_TEXT, [new RegExp('')]]

const WRONG: Readonly<Record<Matcher, readonly (readonly unknown[])[]>> = {
  toBeBlocked: [[null], ['hook'], [{ by: 'hoook' }], [{ who: 'hook' }]],
  toContainOutput: NO_PATTERN,
  toHaveCalledNoTool: NO_NAME.slice(1),
  toHaveCalledTool: [
    ...NO_NAME,
    ['Bash', null],
    ['Bash', { inputs: {} }],
    ['Bash', { times: -1 }],
    ['Bash', { input: 'ls' }],
  ],
  toHaveCalledToolsInOrder: [...NO_TEXT, [[]], [['Bash', undefined]], ['Bash']],
  toHaveCreatedFile: NO_PATH,
  toHaveFileContaining: [...NO_PATH, ['a.txt'], ['a.txt', undefined], ['a.txt', ''], ['a.txt', /x/]],
  toHaveFired: [[0.8], [undefined]],
  toHaveFiredAtLeast: [...NO_LIMIT, [80]],
  toHaveHookOutput: NO_PATTERN,
  toHaveMaxCostUsd: NO_LIMIT,
  toHaveMaxSeconds: NO_LIMIT,
  toHaveMaxTokens: NO_LIMIT,
  toHaveMaxTurns: NO_LIMIT,
  toHaveModifiedFile: NO_PATH,
  toHaveRunHook: [...NO_TEXT, ['Stop', { match: 'Bash' }], ['Stop', { matcher: '' }], ['Stop', { times: '1' }]],
  toHaveUsedSkill: NO_NAME,
  toMatchJsonSchema: [[], [undefined], ['{}'], [{}, { file: 'a.json' }], [{}, { path: '' }]],
  toMatchOutput: [...NO_PATTERN, ['x']],
  toMeetExpectations: [[], [undefined], ['It greets.'], [[]], [['It greets.', ' ']], [['It greets.'], { vote: 3 }]],
  toPassJudge: [...NO_TEXT, ['It greets.', { votes: 10 }], ['It greets.', { judge: '' }]],
  toScoreAtLeast: [...NO_TEXT, ['rubric.md', { min: 6 }], ['rubric.md', 4]],
}

/** What must stay allowed, also without a value for an option. */
const RIGHT: readonly (readonly [Matcher, ...unknown[]])[] = [
  ['toBeBlocked'],
  ['toBeBlocked', undefined],
  ['toBeBlocked', { by: undefined }],
  ['toContainOutput', /^$/],
  ['toHaveCalledNoTool'],
  ['toHaveCalledTool', 'mcp__my-server__do.it', { times: 0, input: {} }],
  ['toHaveCreatedFile', String.raw`.\out\a.txt`],
  ['toHaveRunHook', 'PreToolUse', { matcher: undefined }],
]

function outcomeOf(matcher: Matcher, given: readonly unknown[], isNot: boolean): Promise<unknown> {
  const received = matcher.startsWith('toHaveFired') ? TRIGGER : agentRun()
  const assertion = expect(received)
  const asked = (isNot ? assertion.not : assertion) as unknown as Record<string, (...args: unknown[]) => unknown>
  return (async (): Promise<unknown> => asked[matcher]?.(...given))().then(
    () => null,
    (error: unknown) => error,
  )
}

test.for(Object.entries(WRONG))('%s refuses every other argument, also under .not', async ([name, calls]) => {
  for (const given of calls)
    for (const isNot of [false, true])
      expect(await outcomeOf(name as Matcher, given, isNot), JSON.stringify(given)).toMatchObject({
        code: 'invalid-options',
        message: expect.stringContaining(`${name}()`) as string,
      })
})

test('every matcher is in the list above', () => {
  expect(Object.keys(WRONG).toSorted()).toEqual(Object.keys(matchers).toSorted())
})

test.for(RIGHT)('%s accepts what it documents', async ([name, ...given]) => {
  for (const isNot of [false, true])
    expect(await outcomeOf(name, given, isNot)).not.toMatchObject({ code: 'invalid-options' })
})

test('the error names the argument and what it has to be', async () => {
  const messages = await Promise.all(
    [
      outcomeOf('toContainOutput', [undefined], false),
      outcomeOf('toHaveUsedSkill', [], true),
      outcomeOf('toHaveCalledTool', ['Bash', { time: 1 }], true),
      outcomeOf('toBeBlocked', [{ by: 'hoook' }], true),
      outcomeOf('toHaveFired', [0.8], false),
      outcomeOf('toHaveCreatedFile', ['/workspace/a.txt'], true),
    ].map(async (error) => ((await error) as Error).message),
  )
  expect(messages).toMatchInlineSnapshot(`
    [
      "The argument \`expected\` of toContainOutput() is missing: expected a text or a regular expression.",
      "The argument \`name\` of toHaveUsedSkill() is missing: expected a string.",
      "The argument \`options.time\` of toHaveCalledTool() is not known. Did you mean \`times\`?",
      "The argument \`options.by\` of toBeBlocked() is "hoook": expected "hook" or "permission" or "sandbox". Did you mean "hook"?",
      "toHaveFired() takes no arguments.",
      "The argument \`path\` of toHaveCreatedFile() is "/workspace/a.txt": the path is absolute; write it relative.",
    ]
  `)
})
