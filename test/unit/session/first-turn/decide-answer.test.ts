import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { decideAnswer } from '../../../../src/session/first-turn/probe.ts'
import { firstTurn } from '../../../../src/engines/claude-code/first-turn.ts'
import { skillOf } from '../../../support/agent-package.ts'
import type { FirstAnswer, FirstDecision } from '../../../../src/engines/engine.ts'
import type { AgentPackage } from '../../../../src/packages/package.ts'

const call = (skill: string): FirstAnswer['blocks'][number] => ({
  kind: 'call',
  id: 't',
  tool: 'Skill',
  input: { skill },
})
const WORDS: FirstAnswer = { blocks: [{ kind: 'text', text: 'Here it is.' }], stop: 'end_turn', message: '' }
const CALL: FirstAnswer = { blocks: [call('notes')], stop: 'tool_use', message: '' }
const PLAIN = '---\nname: notes\ndescription: Writes notes.\n---\n\nDo it well.\n'

interface Given {
  readonly answer?: FirstAnswer
  readonly hook?: string
  readonly matcher?: string
  readonly skill?: string
  readonly hidden?: boolean
  readonly isListed?: boolean
}

async function decide({
  answer = CALL,
  hook,
  matcher,
  skill = PLAIN,
  hidden,
  isListed = true,
}: Given): Promise<FirstDecision> {
  await using fixture = await createFixture({ 'skills/notes/SKILL.md': skill })
  const found = skillOf(fixture.path, 'notes')
  const pkg = {
    hookGroups: hook === undefined ? [] : [{ event: hook, matcher: matcher ?? null }],
    skills: isListed ? [{ ...found, ...(hidden === true ? { hiddenFrom: 'model' } : {}) }] : [],
  } as unknown as AgentPackage
  return decideAnswer(firstTurn, answer, ['notes', 'letters'], pkg, { isSubject: (name) => name === 'notes' })
}

const undecided = (because: string): FirstDecision => ({ kind: 'undecided', because })

test.for<readonly [string, Given, FirstDecision]>([
  ['the call of the skill', {}, { kind: 'called', skill: 'notes' }],
  ['an end', { answer: WORDS }, { kind: 'ended' }],
  [
    'another skill',
    { answer: { ...CALL, blocks: [call('letters'), call('notes')] } },
    undecided('the model first called another skill, letters'),
  ],
  [
    'a skill that the request does not offer',
    { answer: { ...CALL, blocks: [call('nothing')] } },
    undecided('the model called the skill "nothing", which is not offered'),
  ],
  ['an end before a stop hook', { answer: WORDS, hook: 'stop' }, undecided('the package has a hook of stop')],
  ['a call before a stop hook', { hook: 'stop' }, { kind: 'called', skill: 'notes' }],
  [
    'a call that a hook of other tools does not see',
    { hook: 'pre-tool-use', matcher: 'Write|Bash' },
    { kind: 'called', skill: 'notes' },
  ],
  [
    'a call that a hook sees by a part of its name',
    { hook: 'pre-tool-use', matcher: '^Ski' },
    undecided('the package has a hook of pre-tool-use'),
  ],
  ['a call that a hook sees', { hook: 'pre-tool-use' }, undecided('the package has a hook of pre-tool-use')],
  ['an end where a hook sees calls', { answer: WORDS, hook: 'pre-tool-use' }, { kind: 'ended' }],
  ['a skill of no file', { isListed: false }, undecided('the skill notes is not part of the package')],
  ['a skill that models may not call', { hidden: true }, undecided('the model may not call the skill notes')],
  [
    'a skill that runs a command when it is called',
    { skill: `${PLAIN}See !\`date\`.\n` },
    undecided('the call of the skill notes may do more than load it: its instructions run a command'),
  ],
])('%s', async ([, given, decision]) => {
  expect(await decide(given)).toEqual(decision)
})
