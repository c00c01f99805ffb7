import { startUpstream, type Upstream } from './upstream.ts'
import type { AnsweredVerdict } from '../../src/judges/method.ts'
import type { StatementKind } from '../../src/judges/statement-kinds.ts'

/** A question as it reached the API. */
export interface AskedQuestion {
  readonly user: string
  /** Whether it asks again about verdicts that could not be used. */
  readonly isSecond: boolean
  /** What is asked about, by number. */
  readonly statements: ReadonlyMap<number, string>
}

/** A verdict without the number of its statement. */
export type WrittenVerdict = Omit<AnsweredVerdict, 'statement'>

/** How a judge on the loopback answers. */
export interface ModelJudge {
  kindOf(statement: string, question: Pick<AskedQuestion, 'user'>): Pick<StatementKind, 'about' | 'absent'>
  /** A verdict, or the whole answer letter by letter. */
  verdictOn(statement: string, question: AskedQuestion): WrittenVerdict | string
}

/** A model on the loopback that judges: over the real API's form, with the nonce of each request. */
export function startModelJudge(judge: ModelJudge): Promise<Upstream> {
  return startUpstream((body) => {
    const { messages } = JSON.parse(body) as { messages: readonly { content: unknown }[] }
    return Promise.resolve({ text: answer(textOf(messages[0]?.content), judge) })
  })
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('')
}

function answer(user: string, judge: ModelJudge): string {
  const nonce = /^nonce: (\w+)$/m.exec(user)?.[1] ?? ''
  const statements = statementsOf(user)
  if (user.includes('Now say what each of')) {
    const kinds = [...statements].map(([statement, text]) => ({ statement, ...judge.kindOf(text, { user }) }))
    return JSON.stringify({ nonce, kinds })
  }
  const question = { user, statements, isSecond: user.includes('Earlier verdicts on these statements') }
  const verdicts = [...statements].map(([statement, text]) => {
    const written = judge.verdictOn(text, question)
    return typeof written === 'string' ? written : { statement, ...written }
  })
  const raw = verdicts.find((verdict) => typeof verdict === 'string')
  return raw === undefined ? JSON.stringify({ nonce, verdicts, orders: '' }) : raw.replaceAll('${NONCE}', nonce)
}

// Outside of every fence.
function statementsOf(user: string): ReadonlyMap<number, string> {
  const own = user.replaceAll(/<evidence (\w+) [\s\S]*?<\/evidence \1>/g, '')
  const lists = own.split(/^(?:The statements, each|Statements about this task)[^\n]*\n/m).slice(1)
  const lines = lists.flatMap((list) => (/^(?:\d+\. .*\n?)+/.exec(list)?.[0] ?? '').trim().split('\n'))
  return new Map(
    lines.flatMap((line) => {
      const [, number, text = ''] =
        /^(\d+)\. (.*?)(?: \((?:words|work|deeds|nothing)(?:, absent)?\))?$/.exec(line) ?? []
      return number === undefined ? [] : [[Number(number), text] as const]
    }),
  )
}

/** What a judge answers that says of no statement what it is about; `null` where it is not asked that. */
export function undecidedKinds(body: string, nonce: string): string | null {
  const count = /Now say what each of the (\d+) statements/.exec(body)?.[1]
  if (count === undefined) return null
  const kinds = Array.from({ length: Number(count) }, (_, index) => ({
    statement: index + 1,
    about: 'either',
    absent: false,
  }))
  return JSON.stringify({ nonce, kinds })
}

/** The verdict of a judge that agrees with the only statement. */
export function agreeingVerdict(quote: string, reason = 'It did.'): AnsweredVerdict {
  return { statement: 1, reason, evidence: [{ item: '', quote }], looked_for: [], verdict: 'pass', weak: '' }
}
