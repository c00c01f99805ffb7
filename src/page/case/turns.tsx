import type { JSX } from 'preact'
import { plural } from '../../lib/text.ts'
import { sum } from '../../lib/lists.ts'
import { Card } from '../card.tsx'
import { dollars, seconds } from '../format.ts'
import { OutcomeBadge } from '../icons.tsx'
import { linkTo } from '../route.ts'
import { Inline, Text } from '../text.tsx'
import type { QuoteLinks, ReadTurn, RunVerdicts } from './quotes.tsx'
import { Check, Expectation } from './statements.tsx'

/** What was decided of each turn of a conversation, in its order. */
export function TurnPanels({
  verdicts: { turns, checks, expectations },
  links,
  first,
}: {
  readonly verdicts: Pick<RunVerdicts, 'checks' | 'expectations' | 'turns'>
  readonly links: QuoteLinks
  /** Number of the first quote of each expectation. */
  readonly first: readonly number[]
}): JSX.Element {
  return (
    <>
      {turns.map((turn, index) => {
        const number = numberOf(turn, index)
        const ownChecks = checks.filter((one) => one.turn === number)
        // Checks carry their own failure text.
        const isSaid = ownChecks.some(({ message }) => message === turn.error)
        const statements = expectations.flatMap((one, at) => (one.turn === number ? [{ one, at }] : []))
        return (
          <Card
            class="turn"
            title={
              <>
                <TurnName number={number} links={links} /> of {turns.length}
              </>
            }
            label={`Turn ${number}`}
            note={<OutcomeBadge outcome={turn.outcome} />}
          >
            <Text text={turn.prompt ?? ''} lines={4} />
            {turn.error !== null && turn.outcome !== 'passed' && !isSaid && (
              <div class={`why ${turn.outcome}`}>
                {turn.error_code !== null && <code>{turn.error_code}</code>}
                <Text text={turn.error} lines={8} />
              </div>
            )}
            {ownChecks.length + statements.length === 0 && <p class="quiet">Nothing is expected of this turn alone.</p>}
            <ul class="verdicts">
              {ownChecks.map((check) => (
                <Check check={check} />
              ))}
              {statements.map(({ one, at }) => (
                <Expectation one={one} links={links} quote={first[at] ?? 0} />
              ))}
            </ul>
          </Card>
        )
      })}
    </>
  )
}

/** Where a turn begins in the timeline: its number, how it came out and what it took. */
export function TurnHead({
  side,
  turn,
  number,
  of,
}: {
  readonly side: 'a' | 'b'
  /** `null` where the report says nothing of it. */
  readonly turn: ReadTurn | null
  readonly number: number
  readonly of: number
}): JSX.Element {
  return (
    <li class="turn-head" id={`${side}-turn-${number}`}>
      <h3>
        Turn {number}
        {of > 0 && ` of ${of}`}
      </h3>
      {turn !== null && (
        <>
          <OutcomeBadge outcome={turn.outcome} />
          <span class="quiet">
            <Inline text={factsOf(turn).join(' · ')} />
          </span>
        </>
      )}
    </li>
  )
}

function TurnName({ number, links }: { readonly number: number; readonly links: QuoteLinks }): JSX.Element {
  const event = links.prompts.get(number)
  // The address holds an event of the first run only.
  if (event === undefined || links.side === 'b') return <>Turn {number}</>
  return <a href={linkTo('case', links.key, { run: String(links.run), event: String(event) })}>Turn {number}</a>
}

/** The number of a turn, from 1. */
export function numberOf({ turn }: ReadTurn, index: number): number {
  return turn ?? index + 1
}

function factsOf({ duration_seconds: took, requests, tool_calls: calls, cost_usd: cost }: ReadTurn): readonly string[] {
  return [
    seconds(took),
    ...(requests === null ? [] : [plural(requests, 'model request')]),
    plural(sum(Object.values(calls)), 'tool call'),
    `cost ${dollars(cost)}`,
  ]
}
