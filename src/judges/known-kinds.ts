import { join } from 'node:path'
import { z } from 'zod'
import { appendText, tryReadText } from '../lib/files.ts'
import { tryParseJson } from '../lib/json.ts'
import { ownEntries } from '../sandbox/process/git.ts'
import { askForVote, type JudgeExchange, type ReachedJudge } from './ask.ts'
import {
  UNKNOWN_KIND,
  agreeOn,
  kindsForm,
  nameStatement,
  type StatementKind,
  type TaskStatements,
} from './statement-kinds.ts'

/** What a judge has said of statements, for other runs and later ones. */
export interface KnownKinds {
  /** The kind of each statement. Asks for those that nobody has said anything of; `UNKNOWN_KIND` where that fails. */
  learn(
    judge: ReachedJudge,
    taskStatements: TaskStatements,
    keep: (exchange: JudgeExchange) => void,
  ): Promise<readonly StatementKind[]>
  /** Asks once more about statements whose verdicts were refused, without showing the run; each is asked about so only once. */
  reconsider(
    judge: ReachedJudge,
    taskStatements: TaskStatements,
    keep: (exchange: JudgeExchange) => void,
  ): Promise<readonly StatementKind[]>
}

/** Reads what is known in a folder of runs, and keeps there what is learned. One for each worker and folder. */
export function knownKindsIn(folder: string): KnownKinds {
  const kinds = KNOWN.get(folder) ?? createKnownKinds(folder)
  KNOWN.set(folder, kinds)
  return kinds
}

const KNOWN = new Map<string, KnownKinds>()
const FILE = 'statement-kinds.jsonl'

/** What is known of statements in a folder of runs, whichever judge said it: the last one that did counts. */
export function readKinds(folder: string): (taskStatements: TaskStatements) => readonly (StatementKind | null)[] {
  const said = new Map(readOwn(folder).map((line) => [line.name, toKind(line)]))
  return ({ task, statements }) => statements.map((text) => said.get(nameStatement(task, text)) ?? null)
}

function createKnownKinds(folder: string): KnownKinds {
  const file = join(folder, FILE)
  const lines = readOwn(folder)
  const kinds = new Map(lines.map((line) => [`${line.model} ${line.name}`, toKind(line)]))
  const sure = new Set(lines.flatMap(({ model, name, sure: isSure }) => (isSure === true ? [`${model} ${name}`] : [])))
  const asking = new Map<string, Promise<void>>()
  const ask = async (
    judge: ReachedJudge,
    { task, statements }: TaskStatements,
    keep: (exchange: JudgeExchange) => void,
    isSecond: boolean,
  ): Promise<void> => {
    const { asks: model } = judge
    const vote = await askForVote(judge, kindsForm({ task, statements }, isSecond), keep)
    const learned = statements.flatMap((statement, index) => {
      const key = keyOf(model, task, statement)
      const said = vote.kind === 'answer' ? vote.answer[index] : undefined
      if (said === undefined) return []
      const before = isSecond ? kinds.get(key) : undefined
      const { about, absent, by } = before === undefined ? said : agreeOn(before, said)
      kinds.set(key, { about, absent, by })
      if (isSecond) sure.add(key)
      return [{ name: nameStatement(task, statement), model, about, absent, ...(isSecond ? { sure: true } : {}) }]
    })
    append(file, learned)
  }
  const learn = async (
    judge: ReachedJudge,
    { task, statements }: TaskStatements,
    keep: (exchange: JudgeExchange) => void,
    isSecond: boolean,
  ): Promise<readonly StatementKind[]> => {
    const known = isSecond ? sure : kinds
    const keys = statements.map((statement) => keyOf(judge.asks, task, statement))
    const open = (): readonly string[] => statements.filter((_, index) => !known.has(keys[index] ?? ''))
    // Another run of the case may be asking at this moment.
    const before = open().length === 0 ? undefined : asking.get(task)
    if (before !== undefined) await before.catch(() => undefined)
    if (open().length > 0) {
      const question = ask(judge, { task, statements: open() }, keep, isSecond)
      asking.set(task, question)
      await question
    }
    return keys.map((key) => kinds.get(key) ?? UNKNOWN_KIND)
  }
  return {
    learn: async (judge, asked, keep) => learn(judge, asked, keep, false),
    reconsider: async (judge, asked, keep) => learn(judge, asked, keep, true),
  }
}

function keyOf(model: string, task: string, statement: string): string {
  return `${model} ${nameStatement(task, statement)}`
}

const lineSchema = z.object({
  name: z.string(),
  model: z.string(),
  about: z.enum(['words', 'work', 'deeds', 'either', 'nothing']),
  absent: z.boolean(),
  /** Whether it was asked about twice. */
  sure: z.boolean().optional(),
})

type Line = z.infer<typeof lineSchema>

function toKind({ about, absent }: Line): StatementKind {
  return { about, absent, by: 'judge' }
}

// What it says decides what can prove a statement, so a repository must not bring it.
function readOwn(folder: string): readonly Line[] {
  const [entry] = ownEntries(folder, [FILE])
  const text = entry === undefined ? null : tryReadText(join(folder, entry))
  const lines = (text ?? '').split('\n').slice(-MOST_LINES)
  return lines.flatMap((line) => lineSchema.safeParse(tryParseJson(line)).data ?? [])
}

const MOST_LINES = 20_000

// What cannot be kept is asked for again.
function append(file: string, lines: readonly Line[]): void {
  if (lines.length === 0) return
  try {
    appendText(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  } catch {
    return
  }
}
