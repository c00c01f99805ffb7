import { skill } from '../skill-project.ts'
import { aamPackage, engineNamed, type AamCase } from './aam.ts'
import type { RedPackage } from './red-package.ts'

const of = (name: string, engine = 'messages'): string => `evals/recordings/cases/${name}/${engine}.1.json`

/** What a pull request changes in recordings where nothing has to run live. */
export const FORGED_RECORDINGS: readonly RedPackage[] = [
  {
    about: 'a recording that a pull request wrote is not believed',
    folder: 'recorded/forged',
    files: aamPackage(
      'messages',
      {
        borrowed: { prompt: 'Say hello.', turns: ['Done.'] },
        lender: { prompt: 'Say goodbye.', turns: ['Done.'] },
        quoted: { turns: ['It is cold.'] },
        unquoted: { turns: ['It is cold.'] },
        criteria: { criteria: 'It greets.', turns: ['Hello.'] },
        answer: { turns: ['Hello.'] },
        checked: { expected: { contains: ['Hello'] }, turns: ['Hello.'] },
      },
      {},
      { judge: 'claude-sonnet' },
    ),
    edits: [
      { file: of('borrowed'), copyOf: of('lender') },
      { file: of('quoted'), from: '"quote": "It is cold."', to: '"quote": "It is warm."' },
      { file: of('unquoted'), from: '"quote": "It is cold."', to: '"quote": ""' },
      { file: 'evals/cases/criteria.yaml', from: 'It greets.', to: 'It thanks.' },
      { file: of('answer'), from: '"text": "Hello."', to: '"text": "Bye."' },
      { file: of('checked'), from: '"text": "Hello."', to: '"text": "Bye."' },
    ],
    red: {
      borrowed: ['errored stale', 'errored recording-incompatible'],
      quoted: 'errored judge-failed',
      unquoted: 'errored judge-failed',
      criteria: 'errored missing-answers',
      answer: 'errored judge-failed',
      checked: 'failed',
    },
    green: ['lender'],
  },
]

/** The recording of a package whose skill tells something else takes the place of another one. */
export const BORROWED_SKILL: readonly RedPackage[] = [
  withSkill('recorded/two-notes', 'two notes', { red: {}, green: ['uses'] }),
  withSkill('recorded/one-note', 'one note', {
    edits: [{ file: of('uses', 'claude-code'), copyOf: `../two-notes/${of('uses', 'claude-code')}` }],
    red: { uses: 'errored stale' },
    green: [],
  }),
]

function withSkill(folder: string, count: string, part: Pick<RedPackage, 'edits' | 'green' | 'red'>): RedPackage {
  const uses: AamCase = { turns: [{ tools: [engineNamed('claude-code').skill('notes')] }, 'Done.'] }
  const texts = { 'skills/notes/SKILL.md': skill('notes', 'Writes notes.', `Write ${count}.`) }
  const files = aamPackage('claude-code', { uses }, texts)
  return { about: 'the recording of another skill text is not believed', folder, files, ...part }
}
