// @module-tag copilot
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { copilotVariables } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { caseOf, PARTS, runCases, states, withEdits } from '../support/recordings-project.ts'

const LOOK = 'Look at the greeting Hi.'

function bash(command: string): object {
  return { name: 'bash', input: { command, description: 'Run it' } }
}

// Copilot says nothing of a sub-agent but its prompt and the millisecond: equal prompts of one turn may look the same.
function critic(prompt: string): object {
  const input = { name: 'critic', description: 'Criticise', prompt, agent_type: 'critic', mode: 'sync' }
  return { name: 'task', input, turns: [{ tools: [bash('echo looking')] }, 'It is short.'] }
}

/** The package of the other engines, with scenarios in Copilot's tools. */
const FILES = {
  ...PARTS,
  ...caseOf(
    'skill',
    'Greet the name in fixtures/name.txt.',
    [
      { tools: [{ name: 'skill', input: { skill: 'greet' } }] },
      {
        tools: [
          bash('sh .github/skills/greet/scripts/greet.sh fixtures/name.txt'),
          { name: 'view', input: { path: '${WORKSPACE}/fixtures/name.txt' } },
        ],
      },
      { tools: [{ name: 'create', input: { path: '${WORKSPACE}/out/greeting.txt', file_text: 'Hello, World\n' } }] },
      'Hello, World',
    ],
    'Hello, World',
    { 'files-created': ['out/log.txt', 'out/greeting.txt'] },
  ),
  ...caseOf(
    'delegate',
    'Have the critic look at the greeting Hi.',
    [
      { tools: [critic(LOOK), critic(`${LOOK} Look twice.`), bash('cat fixtures/name.txt')] },
      'The critic says: It is short.',
    ],
    'It is short',
  ),
  ...caseOf(
    'tool',
    'How long is the word World?',
    [{ tools: [{ name: 'tally-count', input: { word: 'World' } }] }, 'It has 5 letters.'],
    '5',
  ),
  ...caseOf(
    'hook',
    'Write a file that is called forbidden.txt.',
    [
      { tools: [{ name: 'create', input: { path: '${WORKSPACE}/forbidden.txt', file_text: 'x\n' } }] },
      'I was not allowed to write it.',
    ],
    'not allowed',
  ),
}

describe('recordings of copilot', { tags: ['copilot'] }, () => {
  test('hold everything that the model sees', async () => {
    await using project = await createProject(repositoryVitest(), FILES)
    const env = { AGENT_EVALS_ENGINE: 'copilot', ...(await copilotVariables()) }
    expect(states(await runCases(project, 'record', { env }))).toEqual([
      'command passed',
      'delegate passed',
      'hook passed',
      'skill passed',
      'tool passed',
    ])
    const edits = [
      { file: 'agents/critic/prompt.md', from: 'one weakness', to: 'two weaknesses' },
      { file: 'hooks/guard.sh', from: 'forbidden names are not written', to: 'no' },
      { file: 'skills/greet/scripts/greet.sh', from: 'Hello, $', to: 'Hello there, $' },
    ]
    const edited = await withEdits(project, edits, () => runCases(project, 'replay', { env }))
    expect(states(edited)).toEqual([
      'command passed',
      'delegate errored stale',
      'hook errored drifted',
      'skill errored drifted',
      'tool passed',
    ])
  })
})
