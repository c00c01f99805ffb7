import { hasPrice, type ModelPrices } from '../../gateway/budget/price.ts'
import { chooseJudge } from '../../judges/choose.ts'
import { wireOfJudge } from '../../judges/providers/registry.ts'
import { formatPlace } from '../../texts.ts'
import { toPrintableLine } from '../../results/printable.ts'
import type { readKinds } from '../../judges/statements/known-kinds.ts'
import type { CaseMeaning, Expected } from './list-meaning.ts'
import type { ExpectedCase } from '../../case/prepare/expect-case.ts'
import type { Paint } from '../output/terminal.ts'

/** A case with what it means and what its next run takes. */
export interface ExplainedCase extends ExpectedCase, CaseMeaning {}

/** A case for a person: what is asked, what has to hold, and who decides it. */
export function explain(one: ExplainedCase, paint: Paint, judge: string | null = null): readonly string[] {
  const line = (label: string, text: string): string => `  ${paint('dim', label.padEnd(9))}${toPrintableLine(text)}`
  const about = one.skill === null ? one.target : `skill ${one.skill}`
  const runs = one.runs === 1 ? '1 run' : `${one.runs} runs`
  const enough = one.threshold === null ? '' : `, threshold ${one.threshold}`
  return [
    `${paint('bold', toPrintableLine(one.name))} ${paint('dim', toPrintableLine(formatPlace(one)))}`,
    line('kind', `${one.kind}${about === null ? '' : ` of ${about}`}, ${runs}${enough}, ${one.answers}`),
    line('prompt', shorten(one.prompt)),
    ...(one.disabled === null ? [] : [line('disabled', one.disabled)]),
    ...one.files.map((file) => line('file', file)),
    ...one.overlays.map((folder) => line('overlay', folder)),
    ...one.expects.map((expected) => line(expected.by, describe(expected))),
    ...(judge !== null && one.expects.some(({ by }) => by === 'judge') ? [line('asks', judge)] : []),
    ...(one.expects.length === 0 ? [line('expects', 'nothing, so the case is skipped')] : []),
    ...one.context.map((text) => line('context', shorten(text))),
    '',
  ]
}

/** Says of each judged statement what it is about, where a judge has said it. */
export function withKinds(one: ExplainedCase, kindsOf: ReturnType<typeof readKinds>): ExplainedCase {
  const kinds = kindsOf({ task: one.prompt, statements: one.expects.map(({ text }) => text) })
  const expects = one.expects.map((expected, index): Expected => {
    const kind = kinds[index] ?? null
    if (kind === null || expected.by === 'check') return expected
    return { ...expected, about: `${kind.about}${kind.absent ? ', absent' : ''}` }
  })
  return { ...one, expects }
}

/** Who judges, where it is named; `null` where it is not. */
export function describeJudge(named: string | null, prices: ModelPrices): string | null {
  if (named === null) return null
  const { provider, model } = chooseJudge(named, { engine: '', model: null, modelAsked: null }, null)
  const isPriced = hasPrice(model, wireOfJudge(provider, model), prices)
  return `${provider}:${model}${isPriced ? '' : ', whose price is unknown: the budget cannot be enforced'}`
}

function describe({ about, ...expected }: Expected): string {
  return about === undefined ? describeText(expected) : `${describeText(expected)} (about: ${about})`
}

function describeText({ text, by, implied, check }: Expected): string {
  if (check !== undefined) return `${text} (${check})`
  if (implied === true && by === 'check') return `${text} (implied by its target)`
  return implied === true ? `${text} (implied: nothing else is expected)` : text
}

function shorten(text: string): string {
  const characters = Array.from(text.trim())
  return characters.length <= MAX_SHOWN ? text.trim() : `${characters.slice(0, MAX_SHOWN - 1).join('')}…`
}

const MAX_SHOWN = 400
