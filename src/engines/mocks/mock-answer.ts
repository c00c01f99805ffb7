// Part of the mock server, which runs inside the sandbox: what it imports is bundled into it, so it imports little.
import { fieldOf, findViolation, show } from '../../formats/plugin-eval/mock-guard.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { MockSpec, MockSpecResponder, RecordedMockAnswer } from './mock-spec.ts'

/** Answers the calls of one server, one after the other: what a model answered depends on what it answered before. */
export function createAnswers({
  server,
  tools,
}: Pick<MockSpec, 'server' | 'tools'>): (tool: string, input: unknown) => RecordedMockAnswer {
  const earlier: EarlierCall[] = []
  return (tool, input) => {
    const responder = tools.find(({ name }) => name === tool)?.responder
    if (responder === undefined) return { verdict: 'tool_error', output: `no mock for ${server}/${tool}` }
    const answer = answerCall(responder, { server, tool, input, earlier })
    if (responder.kind === 'agent') {
      earlier.push({ ...answer, tool, input: cut(JSON.stringify(input)), output: cut(answer.output) })
      earlier.splice(0, earlier.length - MAX_EARLIER)
    }
    return answer
  }
}

function cut(text: string): string {
  return text.length > MAX_FIELD ? `${text.slice(0, MAX_FIELD)}…` : text
}

/** Calls that a key of a recorded answer depends on. */
const MAX_EARLIER = 40

/** An earlier call of the same server. */
interface EarlierCall {
  readonly tool: string
  readonly input: string
  readonly verdict: RecordedMockAnswer['verdict']
  readonly output: string
}

/** A call to answer. */
interface MockedCall {
  readonly server: string
  readonly tool: string
  readonly input: unknown
  /** Calls of the same server that a model answered, oldest first. */
  readonly earlier: readonly EarlierCall[]
}

/** Characters of a field in the prompt of a model that plays a server. */
const MAX_FIELD = 16_384

/** Answers a call as the real runner does: expectations first, then the written or the recorded answer. */
export function answerCall(responder: MockSpecResponder, call: MockedCall): RecordedMockAnswer {
  const { expect, kind, isError, recorded } = responder
  const violation = expect === null ? null : findViolation(call.input, expect)
  if (violation !== null) return { verdict: 'abort', output: `the model's call violates expect: ${violation}` }
  const filled = fillTemplate(responder, call.input, kind === 'agent' ? MAX_FIELD : Infinity)
  if ('problem' in filled) return { verdict: 'tool_error', output: filled.problem }
  if (kind === 'fixed') return { verdict: isError ? 'tool_error' : 'ok', output: filled.text }
  const name = `${call.tool}-${replayKey(responder, call, filled.text)}.json`
  return Object.hasOwn(recorded, name) ? (recorded[name] ?? missing(name)) : missing(name)
}

// No model can be asked from inside the sandbox.
function missing(name: string): RecordedMockAnswer {
  return { verdict: 'abort', output: `no recorded answer ${name} in .replay/; record it with claude plugin eval` }
}

const PLACEHOLDER = /\{\{\s*(input\.[\w.-]+|file:(?:[^{}]|\{input\.[\w.-]+\})+?)\s*\}\}/g

function fillTemplate(
  { text, files }: Pick<MockSpecResponder, 'files' | 'text'>,
  input: unknown,
  maxField: number,
): { readonly text: string } | { readonly problem: string } {
  const problems: string[] = []
  const filled = text.replaceAll(PLACEHOLDER, (_, written: string) => {
    if (written.startsWith('input.')) return fieldText(fieldOf(input, written.slice('input.'.length)), maxField)
    const path = filePath(written.slice('file:'.length).trim(), input)
    const content = 'problem' in path ? null : files[path.path]
    if (content !== undefined && content !== null) return content
    problems.push('problem' in path ? path.problem : `{{file:${path.path}}}: no such fixture`)
    return ''
  })
  const [problem] = problems
  return problem === undefined ? { text: filled } : { problem }
}

function fieldText(value: unknown, maxField: number): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= maxField) return text
  return `${text.slice(0, maxField)}… [${text.length - maxField} more characters omitted]`
}

const SEGMENT = /^(?!\.{1,2}$)[\w.-]+$/

function filePath(written: string, input: unknown): { readonly path: string } | { readonly problem: string } {
  let problem: string | null = null
  const path = written.replaceAll(/\{input\.([\w.-]+)\}/g, (_, field: string) => {
    const value = fieldOf(input, field)
    const text = value === undefined || value === null ? '' : asText(value)
    if (!SEGMENT.test(text)) problem ??= `{input.${field}} = ${show(value)} is not a plain file-name segment`
    return text
  })
  const isOutside = path.startsWith('/') || path.split('/').includes('..')
  if (isOutside) problem ??= `{{file:${path}}} names a path outside the mock's directory`
  return problem === null ? { path: path.replace(/^(?:\.\/)+/, '') } : { problem }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The name under which the real runner keeps the answer to a call: the same call after the same calls has the same. */
function replayKey({ hash }: Pick<MockSpecResponder, 'hash'>, call: MockedCall, prompt: string): string {
  const earlier = call.earlier
    .map(({ tool, input, verdict, output }) => JSON.stringify([tool, canonical(input), verdict, output]))
    .join('\n')
  const parts = [
    call.server,
    call.tool,
    canonical(call.input),
    hash,
    sha256(prompt.replaceAll('\r\n', '\n')),
    sha256(earlier),
  ]
  return sha256(parts.join(' '))
}

function canonical(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
