import { PARTS } from '../recordings-project.ts'
import { doing, skill, use } from '../skill-project.ts'
import { aamPackage, engineNamed, type AamCase } from './aam.ts'
import type { RedPackage } from './red-package.ts'

const { 'vitest.config.ts': _, ...TEXTS } = PARTS
const PLAIN: Readonly<Record<string, AamCase>> = { plain: { turns: ['Hello.'] } }

/** Packages of Claude Code in which texts change that the model saw, and others that it did not. */
export const STALE_TEXTS: readonly RedPackage[] = [
  {
    about: 'a text that only some cases saw is stale for them',
    folder: 'recorded/texts',
    files: {
      ...TEXTS,
      ...aamPackage('claude-code', { plain: { description: 'Before.', turns: ['Hello.'] } }),
      'README.md': 'About greetings.\n',
    },
    edits: [
      { file: 'evals/cases/hook.yaml', from: 'called forbidden.txt', to: 'named forbidden.txt' },
      { file: 'skills/greet/SKILL.md', from: 'and nothing else', to: 'and add a joke' },
      { file: 'agents/critic/prompt.md', from: 'one weakness', to: 'two strengths' },
      { file: 'commands/wave.md', from: 'both hands', to: 'one foot' },
      { file: 'mcp/tally.mjs', from: 'the letters', to: 'the vowels' },
      { file: 'evals/cases/plain.yaml', from: 'Before.', to: 'After.' },
      { file: 'README.md', from: 'greetings', to: 'letters' },
    ],
    red: {
      hook: 'errored stale',
      skill: 'errored stale',
      delegate: 'errored stale',
      command: 'errored stale',
      tool: 'errored stale',
    },
    // It saw no body, no agent prompt, no command and no MCP tool.
    green: ['plain'],
  },
  {
    about: 'a text that every model sees is stale for every case: the description of a skill',
    folder: 'recorded/description',
    files: aamPackage('claude-code', PLAIN, { 'skills/notes/SKILL.md': skill('notes', 'Writes notes.') }),
    edits: [{ file: 'skills/notes/SKILL.md', from: 'Writes notes.', to: 'Writes letters.' }],
    red: { plain: 'errored stale' },
    green: [],
  },
  {
    about: 'a text that every model sees is stale for every case: a rule',
    folder: 'recorded/rule',
    files: aamPackage('claude-code', PLAIN, { 'rules/polite/RULE.md': rule('Stay polite.') }),
    edits: [{ file: 'rules/polite/RULE.md', from: 'Stay polite.', to: 'Be rude.' }],
    red: { plain: 'errored stale' },
    green: [],
  },
  {
    about: 'a text that every model sees is stale for every case: AGENTS.md',
    folder: 'recorded/instructions',
    files: aamPackage('claude-code', PLAIN, { 'AGENTS.md': 'Always be brief.\n' }),
    edits: [{ file: 'AGENTS.md', from: 'brief', to: 'long' }],
    red: { plain: 'errored stale' },
    green: [],
  },
  triggers('recorded/trigger-description', 'Writes notes.', ['fires']),
  triggers('recorded/trigger-body', 'Do it well.', []),
  ...(['codex', 'copilot'] as const).map(ofEngine),
  {
    about: 'a text that every model sees is stale for every case: AGENTS.md (codex)',
    folder: 'recorded/codex-instructions',
    files: aamPackage('codex', PLAIN, { 'AGENTS.md': 'Always be brief.\n' }),
    edits: [{ file: 'AGENTS.md', from: 'brief', to: 'long' }],
    red: { plain: 'errored stale' },
    green: [],
  },
]

/** A trigger query whose model saw only the description of its skill. */
function triggers(folder: string, edited: string, red: readonly string[]): RedPackage {
  return {
    about: 'a trigger query is stale by the description of its skill, not by its body',
    folder,
    files: {
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
      'skills/notes/evals/triggers.json': JSON.stringify([{ id: 'fires', query: 'fires', should_trigger: true }]),
      'evals/scenarios/fires.yaml': doing([use('notes')]),
    },
    edits: [{ file: 'skills/notes/SKILL.md', from: edited, to: 'Something else.' }],
    red: Object.fromEntries(red.map((name) => [name, 'errored stale'])),
    green: red.length === 0 ? ['fires'] : [],
  }
}

/** The same on another engine, by its own tools, and a script that prints something else. */
function ofEngine(engine: 'codex' | 'copilot'): RedPackage {
  const { shell, skill: uses } = engineNamed(engine)
  return {
    about: `a text that only some cases saw is stale for them, and other output of a script is drift (${engine})`,
    folder: `recorded/${engine}-texts`,
    files: aamPackage(
      engine,
      {
        ...PLAIN,
        prompt: { prompt: 'Say hello.', turns: ['Hello.'] },
        skill: { turns: [{ tools: [uses('notes')] }, 'Hello.'] },
        script: { files: ['fixtures/text.sh'], turns: [{ tools: [shell('sh fixtures/text.sh')] }, 'Done.'] },
      },
      {
        'skills/notes/SKILL.md': skill('notes', 'Writes notes.', 'Write a note.'),
        'evals/fixtures/text.sh': 'echo one\n',
      },
    ),
    edits: [
      { file: 'evals/cases/prompt.yaml', from: 'Say hello.', to: 'Say goodbye.' },
      { file: 'skills/notes/SKILL.md', from: 'Write a note.', to: 'Write two notes.' },
      { file: 'evals/fixtures/text.sh', from: 'one', to: 'two' },
    ],
    red: { prompt: 'errored stale', skill: 'errored stale', script: 'errored drifted' },
    green: ['plain'],
  }
}

function rule(text: string): string {
  return `---\nname: polite\napply:\n  mode: always\n---\n${text}\n`
}
