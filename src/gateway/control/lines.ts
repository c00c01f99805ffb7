import type { Socket } from 'node:net'
import { tryParseJson, type JsonValue } from '../../lib/json.ts'
import type { HandOver } from '../first-turn/first-turn.ts'
import type { LeaseRequest, Problem } from '../leases/lease.ts'

/*
 * Workers and the gateway send each other lines of JSON. The first line of a worker is the secret, each further one a
 * command. The gateway answers each command, and may call a run off at any time.
 */

/** What a worker asks for: a lease, what concerns its lease, or what the main process has prepared. */
export interface ControlCommand {
  readonly id: number
  readonly what:
    | 'conversation'
    | 'end'
    | 'finish'
    | 'first'
    | 'hand-over'
    | 'look'
    | 'meter'
    | 'open'
    | 'pid'
    | 'prepared'
    | 'release'
    | 'slot'
  readonly value?: HandOver | LeaseRequest | number | string | null
}

/** What the gateway says. */
export type ControlAnswer =
  | { readonly id: number; readonly value: object | null }
  | { readonly id: number; readonly problem: Problem }
  /** The run must stop: cancelled, or the gateway closes. */
  | { readonly abort: string }

/** Sends a value as a line; nothing where the other side is gone. */
export function sendLine(socket: Socket, value: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`)
}

/** Passes on each line of a socket; `undefined` for one that is no JSON. */
export function onLines(socket: Socket, take: (value: JsonValue | undefined) => void): void {
  let pieces: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    pieces.push(first)
    for (const other of others) {
      const line = pieces.join('')
      pieces = [other]
      take(tryParseJson(line))
    }
  })
}
