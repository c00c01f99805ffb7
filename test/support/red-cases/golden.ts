import { CLERK, golden } from '../agent-fixture.ts'
import type { FileTree } from 'fs-fixture'
import type { RedPackage } from './red-package.ts'

/** Scores of the two dimensions, whose weights are 40 and 60 and whose threshold is 4. */
interface Scored {
  readonly tone: number | null
  readonly accuracy: number | null
  readonly fails?: readonly string[]
}

/** Golden tests by name: the lines of their criteria, the judge's scores, and how they end. */
const TESTS: Readonly<Record<string, readonly [criteria: string, scored: Scored | readonly unknown[], ends: string]>> =
  {
    'number-met': ['- tone: 4 (calm)', { tone: 4, accuracy: 5 }, 'passed'],
    'number-missed': ['- tone: 4 (calm)', { tone: 3, accuracy: 5 }, 'failed'],
    'ascii-met': ['- tone: >= 4', { tone: 4, accuracy: 5 }, 'passed'],
    'ascii-missed': ['- tone: >= 4', { tone: 3, accuracy: 5 }, 'failed'],
    'sign-met': ['- tone: ≥ 4 (calm)', { tone: 4, accuracy: 5 }, 'passed'],
    'sign-missed': ['- tone: ≥ 4 (calm)', { tone: 3, accuracy: 5 }, 'failed'],
    'bare-met': ['- tone >= 4', { tone: 4, accuracy: 5 }, 'passed'],
    'bare-missed': ['- tone >= 4', { tone: 3, accuracy: 5 }, 'failed'],
    'second-missed': ['- tone: ≥ 4\n- accuracy: 5', { tone: 5, accuracy: 4 }, 'failed'],
    'second-met': ['- tone: ≥ 4\n- accuracy: 5', { tone: 4, accuracy: 5 }, 'passed'],
    'no-hard-fail': ['- **No hard fails — especially HF2**', { tone: 5, accuracy: 5 }, 'passed'],
    'hard-fail': ['- **No hard fails — especially HF2**', { tone: 5, accuracy: 5, fails: ['HF1'] }, 'failed'],
    'hard-fail-unasked': ['- The answer is calm.', { tone: 5, accuracy: 5, fails: ['HF2'] }, 'failed'],
    'at-threshold': ['- The answer is calm.', { tone: 4, accuracy: 4 }, 'passed'],
    'below-threshold': ['- The answer is calm.', { tone: 5, accuracy: 3 }, 'failed'],
    malformed: ['- tone: ≥ 4', [{ text: 'no json' }, { text: 'none either' }], 'errored judge-failed'],
    'one-score': ['- tone: ≥ 4', [{ scores: { tone: 5 } }, { scores: { tone: 5 } }], 'errored judge-failed'],
  }

function body(criteria: string): string {
  return `\n# Opening hours\n\n## Input\n\n> "When do you open?"\n\n## Expected behavior\n\nSays 9.\n\n## Pass criteria\n\n${criteria}\n`
}

function scenario(scored: Scored | readonly unknown[]): string {
  const turns = ['At 9.']
  if (!('tone' in scored)) return JSON.stringify({ turns, judge: scored })
  const { tone, accuracy, fails = [] } = scored
  return JSON.stringify({ turns, judge: [{ scores: { tone, accuracy }, hard_fails: fails, justification: 'Says 9.' }] })
}

/** An agent with these tests. */
function agent(tests: FileTree): FileTree {
  const files = Object.entries(CLERK).map(([path, text]) => [path.replace('clerk/', ''), text])
  return { ...Object.fromEntries(files), ...tests }
}

function testFiles(
  name: string,
  criteria: string,
  scored: Scored | readonly unknown[],
): readonly (readonly [string, string])[] {
  return [
    [`evals/golden/happy/${name}.md`, golden(name, { body: body(criteria) })],
    [`evals/scenarios/golden/happy/${name}.yaml`, scenario(scored)],
  ]
}

const FINE = testFiles('hours', '- tone: ≥ 4', { tone: 5, accuracy: 5 })

/** Agents whose golden tests are recorded and replayed. */
export const GOLDEN_RECORDED: readonly RedPackage[] = [
  {
    about: 'a golden test is stale by what its agent was told',
    folder: 'recorded/clerk',
    files: agent(Object.fromEntries(FINE)),
    edits: [{ file: 'memory/hours.md', from: '9 to 5', to: '10 to 5' }],
    red: { 'happy/hours': 'errored stale' },
    green: [],
  },
  {
    about: 'a golden test is stale by what its agent was told',
    folder: 'recorded/porter',
    files: agent({ ...Object.fromEntries(FINE), 'log/today.md': 'Quiet.\n' }),
    edits: [{ file: 'log/today.md', from: 'Quiet.', to: 'Busy.' }],
    red: {},
    green: ['happy/hours'],
  },
]

/** Golden tests by the spellings of their criteria. */
export const GOLDEN_SCORES: readonly RedPackage[] = [
  {
    about: 'a criterion of a golden test is enforced in each spelling',
    folder: 'played/clerk',
    files: agent(
      Object.fromEntries(
        Object.entries(TESTS).flatMap(([name, [criteria, scored]]) => testFiles(name, criteria, scored)),
      ),
    ),
    red: Object.fromEntries(
      Object.entries(TESTS).flatMap(([name, [, , ends]]) => (ends === 'passed' ? [] : [[`happy/${name}`, ends]])),
    ),
    green: Object.entries(TESTS).flatMap(([name, [, , ends]]) => (ends === 'passed' ? [`happy/${name}`] : [])),
  },
]
