import { patternLabel, searchPattern, type Pattern } from '../checks/pattern.ts'
import type { AskedQuestion, AskedUser, Engine } from '../engines/engine.ts'
import type { CaseAnswer } from '../formats/suite.ts'
import { oneLine, plural } from '../lib/text.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { AgentRequest } from './agent-request.ts'

/** Answers what an agent asks in one session, and remembers what it could not answer. */
export interface Answering {
  /** Texts by the question; `null` where any of the questions has no answer, or none is asked. */
  readonly answer: (request: Pick<AskedUser, 'questions'>) => Readonly<Record<string, string>> | null
  /** One sentence each. */
  readonly notices: () => readonly string[]
}

/** Who answers the questions of a session; `null` where nobody does. */
export function answeringFor(request: Pick<AgentRequest, 'engine' | 'evalCase' | 'package'>): Answering | null {
  const { answers } = request.evalCase
  return answers === undefined || whyUnanswered(request.engine.engine, request.package) !== null
    ? null
    : answerQuestions(answers)
}

/** Why no question of a session is answered, whatever a case has for it; `null` where they are. */
export function whyUnanswered(engine: Engine, { hookGroups }: Pick<AgentPackage, 'hookGroups'>): string | null {
  const questions = engine.dialogue?.questions
  if (questions === undefined) return `a session of ${engine.name} has no user whom it could ask`
  const decider = hookGroups.find(({ event }) => questions.deciders.includes(event))
  return decider === undefined
    ? null
    : `hooks of ${decider.event} would be asked for leave too, and could give it where a session without a user refuses`
}

/** Answers by the entries of a case: of several that fit, the first counts. */
export function answerQuestions(entries: readonly CaseAnswer[]): Answering {
  const open = new Set<string>()
  // By their entry: one that takes too long is not tried again.
  const problems = new Map<Pattern, string>()
  let count = 0
  const find = (pattern: Pattern, { question, heading }: AskedQuestion): boolean =>
    [question, heading].some((text) => {
      if (problems.has(pattern)) return false
      const result = searchPattern(pattern, text.slice(0, MOST_CHARACTERS))
      if ('problem' in result) problems.set(pattern, `\`answers\`, ${patternLabel(pattern)}: ${result.problem}.`)
      return 'found' in result && result.found !== null
    })
  const answerTo = (askedQuestion: AskedQuestion): string | null => {
    for (const { question, answer } of entries) {
      const said = choose(answer, askedQuestion, question !== null)
      if (said !== null && (question === null || find(question, askedQuestion))) return said
    }
    return null
  }
  return {
    answer({ questions }) {
      if (questions.length === 0) return null
      count += 1
      if (count > MOST_ASKED) return null
      const said = questions.slice(0, MOST_QUESTIONS).map((one) => [one.question, answerTo(one)] as const)
      for (const [question, answer] of said) if (answer === null) open.add(oneLine(question, 200))
      const answered = said.filter((pair): pair is [string, string] => pair[1] !== null)
      return answered.length === questions.length ? Object.fromEntries(answered) : null
    },
    notices: () => [
      ...[...open]
        .slice(0, MOST_NAMED)
        .map((question) => `The agent asked ${JSON.stringify(question)}, and no entry of \`answers\` fits.`),
      ...(open.size > MOST_NAMED ? [`It asked ${open.size - MOST_NAMED} more that none fits.`] : []),
      ...(count > MOST_ASKED
        ? [`It asked ${plural(count, 'time')}; only the first ${MOST_ASKED} were looked at.`]
        : []),
      ...problems.values(),
    ],
  }
}

// Without a question only an answer that is offered says which one it is for.
function choose(answer: readonly string[], { options, takesSeveral }: AskedQuestion, isNamed: boolean): string | null {
  if (answer.length > 1 && !takesSeveral) return null
  const labels = answer.map((text) => options.find((label) => sameWords(label, text)) ?? (isNamed ? text : null))
  return labels.every((label) => label !== null) ? labels.join(', ') : null
}

function sameWords(a: string, b: string): boolean {
  return oneLine(a, MOST_CHARACTERS).toLowerCase() === oneLine(b, MOST_CHARACTERS).toLowerCase()
}

/** Calls that are answered in a session: more are a loop. */
const MOST_ASKED = 100
/** Of one call; the tool takes four. */
const MOST_QUESTIONS = 20
const MOST_CHARACTERS = 10_000
const MOST_NAMED = 5
