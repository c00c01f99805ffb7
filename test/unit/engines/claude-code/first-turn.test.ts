import { expect, test } from 'vitest'
import { firstTurn } from '../../../../src/engines/claude-code/first-turn.ts'

test.for([
  ['Which files are here?', null],
  ['Two\nlines', null],
  ['Costs $5.', 'the prompt contains a variable'],
  ['/notes do it', 'the prompt begins with /, which is a command'],
  ['!ls', 'the prompt begins with ! or #'],
  ['# note', 'the prompt begins with ! or #'],
  [' x', 'the prompt is empty or begins with white space'],
  ['x\n', 'the prompt ends with white space'],
  ['see @file', 'the prompt contains @, which may name a file'],
  ['take $HOME', 'the prompt contains a variable'],
  ['a\r\nb', 'the prompt contains a carriage return'],
  ['a\tb', 'the prompt contains a control character'],
  ['please UltraThink', 'the prompt contains a keyword of Claude Code'],
  ['ultracode it', 'the prompt contains a keyword of Claude Code'],
] as const)('%j: %s', ([prompt, why]) => {
  expect(firstTurn.dependsOn(prompt)).toBe(why)
})

const LISTING = `# Environment\n\nThe following skills are available for use with the Skill tool:\n\n- letters: Writes letters.\n- dir (name): Both.\n- plug:deep: Of a plugin.\n- bare\n\nToday's date is - not: one.`

test('reads the skills that a request offers', () => {
  const body = { messages: [{ role: 'system', content: [{ type: 'text', text: LISTING }] }] }
  expect(firstTurn.offers(body)).toEqual(['letters', 'dir', 'plug:deep', 'bare'])
  expect(firstTurn.offers({ messages: [{ role: 'user', content: '- letters: no listing' }] })).toEqual([])
})

test.for([
  ['---\nname: a\ndescription: b\n---\n\nDo it.', null],
  ['---\nname: a\n---\n\nSee !`date`.', 'its instructions run a command'],
  ['---\nname: a\ncontext: fork\n---\n\nDo it.', 'its front matter has `context`'],
  ['---\nname: a\n---\n\nmodel: x', null],
] as const)('the call of a skill only loads it: %j', ([text, why]) => {
  expect(firstTurn.mayFail(text)).toBe(why)
})

const text = { type: 'text', text: 'Well.' }
const use = { type: 'tool_use', id: 't', name: 'Skill', input: { skill: 'notes' } }
const withArgs = (args: unknown): object => ({ ...use, input: { skill: 'notes', args } })

test.for([
  ['a call with arguments', [withArgs('now')], 'tool_use', { kind: 'called', skill: 'notes' }],
  ['a call', [text, use], 'tool_use', { kind: 'called', skill: 'notes' }],
  ['words', [text], 'end_turn', { kind: 'ended' }],
  ['thoughts and words', [{ type: 'thinking', thinking: 'Hm.' }, text], 'end_turn', { kind: 'ended' }],
  ['thoughts alone', [{ type: 'thinking', thinking: 'Hm.' }], 'end_turn', 'the answer has no words'],
  ['nothing', [], 'end_turn', 'the answer has no words'],
  ['dots alone', [{ type: 'text', text: '...' }], 'end_turn', 'the answer has no words'],
  ['a limit', [text], 'max_tokens', 'the answer ended with "max_tokens"'],
  ['a call and a limit', [use], 'max_tokens', 'the answer calls a tool and ended with "max_tokens"'],
  ['a pause', [text], 'pause_turn', 'the answer ended with "pause_turn"'],
  ['a refusal', [text], 'refusal', 'the answer ended with "refusal"'],
  ['another tool first', [{ ...use, name: 'Bash' }, use], 'tool_use', 'the model first called Bash'],
  [
    'a tool of the API',
    [{ type: 'server_tool_use' }],
    'end_turn',
    'the answer contains a block of the kind "server_tool_use"',
  ],
  ['an input of another kind', [{ ...use, input: 'notes' }], 'tool_use', 'the call of the skill cannot be read'],
  ['arguments that are a number', [withArgs(42)], 'tool_use', 'the call of the skill cannot be read'],
  ['arguments that are nothing', [withArgs(null)], 'tool_use', 'the call of the skill cannot be read'],
  [
    'an unknown skill',
    [{ ...use, input: { skill: 'Notes' } }],
    'tool_use',
    'the model called the skill "Notes", which is not offered',
  ],
] as const)('%s', ([, content, stop, decided]) => {
  const bytes = Buffer.from(JSON.stringify({ type: 'message', content, stop_reason: stop }))
  const answer = firstTurn.read('application/json', bytes)
  expect(answer).not.toBeNull()
  const decision = answer === null ? null : firstTurn.decide(answer, ['notes'])
  expect(decision).toEqual(typeof decided === 'string' ? { kind: 'undecided', because: decided } : decided)
})

test('an answer that is not whole is none', () => {
  expect(firstTurn.read('application/json', Buffer.from('{"type":"error"}'))).toBeNull()
  expect(firstTurn.read('text/event-stream', Buffer.from('data: {"type":"message_start","message":{}}\n\n'))).toBeNull()
})
