import { basename, dirname, join } from 'node:path'
import { crossCheck } from './cross-check.ts'
import { parseJudgeSettings } from './judge-settings.ts'
import { NO_MODEL, parseModel } from './model.ts'
import { parseRubric } from './rubric.ts'
import type { TrackedFs } from '../../documents/tracked-fs.ts'
import type { AgentModel, AgentUnderTest } from '../golden.ts'
import type { Issue } from '../../documents/issue.ts'

/** An agent folder, or what is wrong with what its tests share. */
export interface LoadedAgent {
  /** `null` when rubric or judge cannot be used. */
  readonly agent: AgentUnderTest | null
  readonly issues: readonly Issue[]
}

/** Reads what the golden tests of an agent share. Never throws: everything wrong is among its issues. */
export async function loadAgent(evalsDir: string, fs: TrackedFs): Promise<LoadedAgent> {
  const dir = dirname(evalsDir)
  const files = { rubric: join(evalsDir, 'rubric.md'), judge: join(evalsDir, 'judge.md') }
  const [rubricText, judgeText] = await Promise.all([fs.readText(files.rubric), fs.readText(files.judge)])
  const read = rubricText.issue === null ? parseRubric(rubricText.text, files.rubric) : null
  const judge = judgeText.issue === null ? parseJudgeSettings(judgeText.text, files.judge) : null
  const issues = [
    ...(read?.issues ?? []),
    ...(judge?.issues ?? []),
    ...[rubricText.issue, judgeText.issue].filter((issue) => issue !== null).map(wordMissing),
  ]
  if (read === null || read.rubric === null || judge === null || judge.judge === null) return { agent: null, issues }

  const model = await readModel(join(dir, 'model.md'), fs)
  const missing = DOCUMENTED.filter((path) => fs.look(join(dir, path)) === null)
  return {
    agent: { name: basename(dir), dir, evalsDir, model, missing, rubric: read.rubric, judge: judge.judge },
    issues: [
      ...issues,
      ...crossCheck(read.rubric, judge.judge, judgeText.text ?? ''),
      ...missing.map((path): Issue => ({
        code: 'agent-file-missing',
        severity: 'warning',
        file: join(dir, path),
        field: '',
        message: path === 'model.md' ? NO_MODEL_FILE : `the agent has no ${path}; its prompt omits it`,
        line: 1,
        column: 1,
      })),
    ],
  }
}

function wordMissing(issue: Issue): Issue {
  if (issue.code !== 'file-missing') return issue
  return { ...issue, message: `the file does not exist; golden tests are scored by ${basename(issue.file)}, so add it` }
}

const NO_MODEL_FILE = 'the agent has no model.md; set its model with --model'

// What the format documents for every agent; notes and indexes may be absent.
const DOCUMENTED = ['persona/IDENTITY.md', 'persona/SOUL.md', 'persona/USER.md', 'tools.md', 'model.md'] as const

async function readModel(file: string, fs: TrackedFs): Promise<AgentModel> {
  const { text } = await fs.readText(file)
  return text === null ? NO_MODEL : parseModel(text, file)
}
