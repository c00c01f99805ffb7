import { percent as percentOf } from '../lib/rates.ts'
import { plural } from '../lib/text.ts'
import type { PageDetail, PageOverview, PageRow } from '../report/page/page-data.ts'

/** What an arm of a case is called; `null` is the case itself. */
export function armName(arm: string | null): string {
  if (arm === null) return 'with skill'
  return arm === 'without_skill' ? 'without skill' : arm === 'variant' ? 'version before' : arm
}

/** Seconds as a person reads them; `n/a` when unknown. */
export function seconds(value: number | null): string {
  if (value === null) return 'n/a'
  if (value < 1) return `${Math.round(value * 1000)} ms`
  if (value < 60) return `${value.toFixed(value < 10 ? 1 : 0)} s`
  const rest = Math.round(value % 60)
  return value < 3600
    ? `${Math.floor(value / 60)} min ${rest} s`
    : `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`
}

/** US dollars; `unknown` when unknown. */
export function dollars(value: number | null): string {
  if (value === null) return 'unknown'
  return value > 0 && value < 0.01 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`
}

/** A cost of which a part may be unknown. */
export function costOf({
  cost_usd: cost,
  unknown_cost: unknown,
}: {
  readonly cost_usd: number
  readonly unknown_cost: number
}): string {
  if (unknown === 0) return dollars(cost)
  return cost === 0 ? 'unknown' : `at least ${dollars(cost)}`
}

/** A whole number with separators. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** A share as a percentage; `n/a` where there is none. */
export function percent(value: number | null): string {
  return value === null ? 'n/a' : percentOf(value)
}

/** An interval of shares. */
export function interval(value: readonly [number, number] | null): string {
  return value === null ? 'n/a' : `${Math.round(value[0] * 100)}–${Math.round(value[1] * 100)}%`
}

/** Bytes as a person reads them. */
export function bytes(value: number | null): string {
  if (value === null) return 'n/a'
  if (value < 1024) return `${value} B`
  return value < 1024 ** 2 ? `${(value / 1024).toFixed(1)} KB` : `${(value / 1024 ** 2).toFixed(1)} MB`
}

/** The engine of a case, and its model where several run it. */
export function nameOfVariant({ engine, planned_model: model }: Pick<PageRow, 'engine' | 'planned_model'>): string {
  return model === null ? engine : `${engine}, ${model}`
}

/** How long ago something was, by the day. */
export function age(from: string, to: string): string {
  const days = Math.floor((Date.parse(to) - Date.parse(from)) / 86_400_000)
  if (!Number.isFinite(days)) return 'age unknown'
  return days <= 0 ? 'less than a day before this report' : `${plural(days, 'day')} before this report`
}

/** A point in time, in UTC, without what no reader needs. */
export function moment(value: string | null): string {
  return value === null ? 'n/a' : value.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')
}

/** What decided a run of a trigger query. */
export const DECIDED_BY = {
  probe: 'the first model turn',
  'probe+full': 'the first turn and the rest of its session',
  full: 'a full session',
} as const

/** Where the answers of a case came from, so that a scenario never passes for a model, and whether it ran at all. */
export function sourceOf(row: Pick<PageRow, 'cached' | 'scripted' | 'source'>): string {
  return `${answersOf(row)}${row.cached ? ', cached' : ''}`
}

function answersOf({ source, scripted }: Pick<PageRow, 'scripted' | 'source'>): string {
  if (source === null) return 'no answers'
  if (source === 'scenario') return 'scenario (no model)'
  if (source === 'replay') return scripted ? 'replay of a scenario (no model)' : 'replay of a recording'
  if (source === 'record') return scripted ? 'recorded from a scenario (no model)' : 'live, recorded'
  return source
}

/** A model's name; a scenario is none. */
export function modelOf(model: string | null): string {
  return model === 'scenario' ? 'none (scenario)' : (model ?? 'unknown')
}

/** Reads the block that the overview is made of. */
export function readOverview(): Promise<PageOverview> {
  return read<PageOverview>('overview')
}

/** Reads everything about one case. The last few stay in memory, so that going back is quick and nothing piles up. */
export async function readDetail(key: string): Promise<PageDetail> {
  const cached = recent.get(key)
  if (cached !== undefined) return cached
  // The blocks come after the script, and a link may lead to a case whose block is not there yet.
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }))
  const detail = read<PageDetail>(`case-${key}`)
  recent.set(key, detail)
  for (const oldest of recent.keys()) {
    if (recent.size <= KEPT) break
    recent.delete(oldest)
  }
  return detail
}

const recent = new Map<string, Promise<PageDetail>>()
const KEPT = 8

async function read<T>(id: string): Promise<T> {
  const block = document.getElementById(id)
  const text = block instanceof HTMLTemplateElement ? block.content.textContent : ''
  if (text === '') throw new Error('This part of the report is missing from the file.')
  const plain = new Blob([decode(text)]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return (await new Response(plain).json()) as T
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const decoded = new Uint8Array(binary.length)
  for (let at = 0; at < decoded.length; at++) decoded[at] = binary.charCodeAt(at)
  return decoded
}
