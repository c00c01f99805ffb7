import { join } from 'node:path'
import { z } from 'zod'
import { appendText, tryReadText } from '../lib/files.ts'
import { tryParseJson } from '../lib/json.ts'
import { ownEntries } from '../sandbox/process/git.ts'
import { askForVote, type JudgeExchange, type ReachedJudge } from './ask.ts'
import {
  LONGEST_TASK,
  UNKNOWN_KIND,
  agreeOn,
  kindsForm,
  nameStatement,
  type StatementKind,
  type TaskStatements,
} from './statement-kinds.ts'

/** What a judge has said of statements, for every run beside this one and for later ones. */
export interface KnownKinds {
  /** Says that these statements will be asked about, so that one question may serve several cases. */
  announce(model: string, taskStatements: TaskStatements): void
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
  const kinds = DESKS.get(folder) ?? createKnownKinds(folder)
  DESKS.set(folder, kinds)
  return kinds
}

const DESKS = new Map<string, KnownKinds>()
const FILE = 'statement-kinds.jsonl'

/** What is known of statements in a folder of runs, whichever judge said it: the last one that did counts. */
export function readKinds(folder: string): (taskStatements: TaskStatements) => readonly (StatementKind | null)[] {
  const said = new Map(readOwn(folder).map((line) => [line.name, toKind(line)]))
  return ({ task, statements }) => statements.map((text) => said.get(nameStatement(task, text)) ?? null)
}

interface Waiting {
  readonly task: string
  readonly statement: string
  readonly model: string
}

function createKnownKinds(folder: string): KnownKinds {
  const file = join(folder, FILE)
  const lines = readOwn(folder)
  const kinds = new Map(lines.map((line) => [`${line.model} ${line.name}`, toKind(line)]))
  const sure = new Set(lines.flatMap(({ model, name, sure: isSure }) => (isSure === true ? [`${model} ${name}`] : [])))
  const waiting = new Map<string, Waiting>()
  let asking: Promise<void> = Promise.resolve()

  const announce: KnownKinds['announce'] = (model, { task, statements }) => {
    for (const statement of statements) {
      const key = keyOf(model, task, statement)
      if (!kinds.has(key)) waiting.set(key, { task, statement, model })
    }
  }
  const ask = async (
    judge: ReachedJudge,
    tasks: readonly TaskStatements[],
    keep: (exchange: JudgeExchange) => void,
    isSecond: boolean,
  ): Promise<void> => {
    const { asks: model } = judge
    const vote = await askForVote(judge, kindsForm(tasks, isSecond), keep)
    const all = tasks.flatMap(({ task, statements }) => statements.map((statement) => ({ task, statement })))
    const learned = all.flatMap(({ task, statement }, index) => {
      const key = keyOf(model, task, statement)
      waiting.delete(key)
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
  const kindsOf = (model: string, { task, statements }: TaskStatements): readonly StatementKind[] =>
    statements.map((statement) => kinds.get(keyOf(model, task, statement)) ?? UNKNOWN_KIND)
  return {
    announce,
    async learn(judge, taskStatements, keep) {
      const { task, statements } = taskStatements
      const { asks: model } = judge
      const isOpen = (statement: string): boolean => !kinds.has(keyOf(model, task, statement))
      // One question at a time: what others wait for meanwhile comes with the next one.
      const turn = asking.then(async () => {
        const open = statements.filter(isOpen)
        const others = [...waiting.values()].filter((one) => one.model === model)
        if (open.length > 0) await ask(judge, portionOf({ task, statements: open }, others), keep, false)
      })
      asking = turn.catch(() => undefined)
      await turn
      return kindsOf(model, taskStatements)
    },
    async reconsider(judge, taskStatements, keep) {
      const { task, statements } = taskStatements
      const open = statements.filter((statement) => !sure.has(keyOf(judge.asks, task, statement)))
      if (open.length > 0) await ask(judge, [{ task, statements: open }], keep, true)
      return kindsOf(judge.asks, taskStatements)
    },
  }
}

function keyOf(model: string, task: string, statement: string): string {
  return `${model} ${nameStatement(task, statement)}`
}

// Its own statements, and those of other cases as long as the question stays short.
function portionOf(ofCase: TaskStatements, waiting: readonly Waiting[]): readonly TaskStatements[] {
  const tasks = new Map([[ofCase.task, new Set(ofCase.statements)]])
  let length = ofCase.statements.join('').length
  for (const { task, statement } of waiting) {
    if (tasks.get(task)?.has(statement) === true) continue
    length += statement.length + (tasks.has(task) ? 0 : Math.min(task.length, LONGEST_TASK))
    if (length > LONGEST) break
    tasks.set(task, (tasks.get(task) ?? new Set()).add(statement))
  }
  return [...tasks].map(([task, statements]) => ({ task, statements: [...statements] }))
}

const LONGEST = 16_000

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
