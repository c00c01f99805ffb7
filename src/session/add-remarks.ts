import type { RecordTable, ShownCall } from '../engines/stream.ts'
import { objectOf } from '../lib/json.ts'
import { withoutSpace } from '../lib/text.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { withSkills } from './told.ts'

/**
 * Adds what only the stream of an engine tells, each behind the last event that both have: its remarks, and the calls that
 * a script of the model made.
 */
export function addRemarks(
  built: readonly UnnumberedEvent[],
  stream: readonly UnnumberedEvent[],
  table: RecordTable,
): readonly UnnumberedEvent[] {
  const places = new Map(built.map((event, index) => [keyOf(event), index] as const).toReversed())
  const added = new Map<number, UnnumberedEvent[]>()
  const scripts = createScripts(built, table)
  let at = -1
  const add = (events: readonly UnnumberedEvent[]): void => {
    const told = events.map((event): UnnumberedEvent => ({ ...event, from: 'cli' }))
    added.set(at, [...(added.get(at) ?? []), ...told])
  }
  for (const event of stream) {
    const place = places.get(keyOf(event)) ?? scripts.placeOf(event, at)
    if (place !== undefined) at = Math.max(at, place)
    if (event.kind === 'notice' || event.kind === 'api-retry') add([event])
    else add(scripts.take(event))
  }
  const addedAt = (index: number): readonly UnnumberedEvent[] => added.get(index) ?? []
  return [...addedAt(-1), ...built.flatMap((event, index) => [event, ...addedAt(index)])]
}

/** Names what both records have of an event; words by themselves. */
function keyOf(event: UnnumberedEvent): string {
  if (event.kind === 'prompt') return `prompt ${event.turn}`
  if (event.kind === 'message') return `message ${event.agent ?? ''} ${withoutSpace(event.text)}`
  return 'id' in event ? `${event.kind} ${event.id}` : ''
}

/** Calls of a stream that scripts of the model made. */
interface Scripts {
  /** The place of the call that an event is, or of the script that made it; `undefined` where it is none. */
  placeOf(event: UnnumberedEvent, from: number): number | undefined
  /** The event and what follows from it where a script made its call. */
  take(event: UnnumberedEvent): readonly UnnumberedEvent[]
}

function createScripts(built: readonly UnnumberedEvent[], table: RecordTable): Scripts {
  if (table.couldMake === undefined) return { placeOf: () => undefined, take: () => [] }
  const refused = new Set(
    built.flatMap((event) => (event.kind === 'tool-result' && event.blockedBy !== null ? [event.id] : [])),
  )
  const made = built.flatMap((event, place) =>
    event.kind === 'tool-call' && event.agent === null ? [{ event, place }] : [],
  )
  /** Calls of the model that the stream shows, too, under ids of its own. */
  const direct = made.filter(({ event }) => !refused.has(event.id))
  const inside = new Map<string, ShownCall>()
  return {
    placeOf(event, from) {
      if (event.kind !== 'tool-call') return undefined
      const index = direct.findIndex((one) => isSame(one.event, event, table))
      if (index >= 0) return direct.splice(index, 1)[0]?.place
      // The first script from here on that could have made it, else one that goes on.
      const places = made.filter((one) => table.couldMake?.(one.event, event) === true).map(({ place }) => place)
      const place = places.find((one) => one >= from) ?? places.at(-1)
      if (place !== undefined) inside.set(event.id, event)
      return place
    },
    take(event) {
      const call = event.kind === 'tool-call' || event.kind === 'tool-result' ? inside.get(event.id) : undefined
      if (call === undefined) return []
      return event.kind === 'tool-result' ? withSkills(event, call, table) : [event]
    },
  }
}

function isSame(made: ShownCall, shown: ShownCall, table: RecordTable): boolean {
  if (table.plainTool(made.tool) !== table.plainTool(shown.tool)) return false
  return shown.tool !== 'Bash' || objectOf(made.input)['command'] === objectOf(shown.input)['command']
}
