import { Transform } from 'node:stream'
import { endOfString } from './body.ts'
import { MIN_SECRET_LENGTH, formsOf, hideForms, isEnumeration } from './redact.ts'
import { isEventStream } from './wires/wire.ts'

/**
 * Replaces a secret, in each of its forms, by as many asterisks in what an API answers, so that lengths stay true. Field names and words of the
 * protocol stay as they are. A line of events, or a JSON body, is held back until it is complete: no engine can read
 * it earlier.
 */
export function createMask(secret: string, contentType: string): Transform {
  if (secret.length < MIN_SECRET_LENGTH)
    return new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })
  const forms = formsOf(secret)
  if (isEventStream(contentType)) return maskParts(forms, lastLineEnd)
  return /[/+]json\b/.test(contentType) ? maskParts(forms, () => 0) : maskBytes(forms)
}

/** Masks complete parts of a text; `endOf` tells where in a chunk the last complete part ends, 0 for nowhere. */
function maskParts(forms: readonly string[], endOf: (chunk: Buffer) => number): Transform {
  let held: Buffer[] = []
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = endOf(chunk)
      if (end === 0) {
        held.push(chunk)
        return done()
      }
      const complete = Buffer.concat([...held, chunk.subarray(0, end)])
      held = end === chunk.length ? [] : [chunk.subarray(end)]
      done(null, maskComplete(complete, forms))
    },
    flush(done) {
      done(null, maskComplete(Buffer.concat(held), forms))
    },
  })
}

function lastLineEnd(chunk: Buffer): number {
  return Math.max(chunk.lastIndexOf(10), chunk.lastIndexOf(13)) + 1
}

function maskComplete(bytes: Buffer, forms: readonly string[]): Buffer {
  if (!forms.some((form) => bytes.includes(form, 0, 'latin1'))) return bytes
  const lines = bytes.toString('latin1').split(/(?<=[\n\r])/)
  return Buffer.from(lines.map((line) => maskLine(line, forms)).join(''), 'latin1')
}

function maskLine(line: string, forms: readonly string[]): string {
  const hide = (text: string): string => hideForms(text, forms)
  if (!forms.some((form) => line.includes(form))) return line
  const [, name = '', value = ''] = /^(event): ?(.*?)[\n\r]*$/.exec(line) ?? []
  return isEnumeration(name, value) ? line : maskJson(line, hide)
}

/** Masks the texts of JSON as it is written. What is no JSON is masked everywhere. */
function maskJson(text: string, hide: (text: string) => string): string {
  const parts: string[] = []
  let name = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('"', at)
    const end = start < 0 ? text.length : endOfString(text, start)
    if (end === text.length) return [...parts, hide(text.slice(at))].join('')
    const value = text.slice(start + 1, end)
    NAME_END.lastIndex = end + 1
    const isName = NAME_END.test(text)
    const isKept = isName || isEnumeration(name, value)
    parts.push(hide(text.slice(at, start)), '"', isKept ? value : hide(value), '"')
    if (isName) name = value
    at = end + 1
  }
}

const NAME_END = /\s*:/y

/** Only bytes that may begin the secret are held back until the next chunk. */
function maskBytes(forms: readonly string[]): Transform {
  const needles = forms.map((form) => Buffer.from(form, 'latin1'))
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const whole = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const bytes = needles.reduce(masked, whole)
      const cut = bytes.length - Math.max(...needles.map((needle) => startedAtEnd(bytes, needle)))
      held = bytes.subarray(cut)
      done(null, bytes.subarray(0, cut))
    },
    flush(done) {
      done(null, held)
    },
  })
}
function masked(bytes: Buffer, needle: Buffer): Buffer {
  let at = bytes.indexOf(needle)
  if (at < 0) return bytes
  const copy = Buffer.from(bytes)
  for (; at >= 0; at = copy.indexOf(needle, at + needle.length)) copy.fill('*', at, at + needle.length)
  return copy
}

/** How many bytes at the end are the beginning of the secret. */
function startedAtEnd(bytes: Buffer, needle: Buffer): number {
  for (let length = Math.min(needle.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(needle.subarray(0, length))) return length
  return 0
}

/** Why an answer was ended: it is larger than any of a model, or there was no room for it among the others. */
export class AnswerTooLarge extends Error {
  readonly isAlone: boolean

  constructor(message: string, isAlone: boolean) {
    super(message)
    this.isAlone = isAlone
  }
}

/**
 * Ends an answer that is larger, or has more or longer lines of events, than any answer of a model, or that no longer fits
 * into memory: `grow` takes room for its bytes.
 */
export function createAnswerLimit(isStream: boolean, grow: (bytes: number) => boolean = () => true): Transform {
  const maximum = isStream ? MAX_STREAM_BYTES : MAX_BODY_BYTES
  let total = 0
  let line = 0
  let lines = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length
      const end = chunk.lastIndexOf(10)
      line = end < 0 ? line + chunk.length : chunk.length - end - 1
      if (isStream) lines += countLines(chunk)
      const reason =
        total > maximum
          ? `it is larger than ${maximum / MIB} MiB`
          : isStream && line > MAX_LINE_BYTES
            ? `it has a line of more than ${MAX_LINE_BYTES / MIB} MiB`
            : lines > MAX_LINES
              ? `it has more than ${MAX_LINES} lines of events`
              : null
      if (reason !== null) done(new AnswerTooLarge(reason, true))
      else if (grow(chunk.length)) done(null, chunk)
      else done(new AnswerTooLarge('its session has more open answers than fit into memory', false))
    },
  })
}

function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1
  return count
}

const MIB = 1024 * 1024
const MAX_STREAM_BYTES = 20 * MIB
/** Without the frames of events an answer is much shorter. */
const MAX_BODY_BYTES = 16 * MIB
const MAX_LINE_BYTES = 8 * MIB
/** Three of an event; the longest answers have an event of each token. */
const MAX_LINES = 600_000
