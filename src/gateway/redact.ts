import { stripVTControlCharacters } from 'node:util'
import { escapePattern } from '../lib/text.ts'
import { credentialVariables } from './wires/apis.ts'

/** Takes secrets out of what is shown or stored. */
export interface Redactor {
  /** Replaces each secret by `[REDACTED:<name>]`. */
  readonly text: (text: string) => string
  /** The same for every text in a JSON value. Field names stay as they are. */
  readonly values: <T>(value: T) => T
}

/**
 * Builds a redactor for the secrets of an environment. It finds them by value, in plain, JSON, URL and base64 form, also
 * with terminal codes between their letters, and credentials of known shapes.
 */
export function createRedactor(environment: Readonly<Record<string, string | undefined>>): Redactor {
  const names = collectForms(environment)
  const forms = [...names.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp([...forms.map(escapePattern), ...KNOWN_SHAPES].join('|'), 'g')
  const anywhere = new RegExp([...forms.map((form) => escapePattern(inJson(form))), ...SIGNS].join('|'))
  // The same result is shown, journalled and handed back.
  const clean = new WeakSet<object>()
  const replace = (text: string): string =>
    text.replaceAll(pattern, (found) => `[REDACTED:${names.get(found) ?? 'credential'}]`)

  function redactText(text: string): string {
    if (text.length < MIN_SECRET_LENGTH) return text
    const redacted = replace(text)
    if (!TERMINAL_CODE.test(redacted)) return redacted
    const stripped = stripVTControlCharacters(redacted)
    const again = replace(stripped)
    return again === stripped ? redacted : again
  }

  function redactValues(value: unknown): unknown {
    if (typeof value === 'string') return redactText(value)
    if (Array.isArray(value)) return value.map(redactValues)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValues(item)]))
  }

  // One look at the whole is much quicker than one at each text, and nearly always the last.
  function redactWhole(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || clean.has(value)) return value
    const redacted = anywhere.test(JSON.stringify(value)) ? redactValues(value) : value
    if (typeof redacted === 'object' && redacted !== null) clean.add(redacted)
    return redacted
  }

  return {
    text: redactText,
    values: <T>(value: T): T => (typeof value === 'string' ? redactText(value) : redactWhole(value)) as T,
  }
}

/**
 * Names of the variables whose secrets are too short to be searched for: credentials of model APIs, and others whose
 * name and length are those of a secret.
 */
export function findShortSecrets(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const others = Object.entries(environment).flatMap(([name, value]) => {
    const { length } = value?.trim() ?? ''
    return CERTAIN_NAME.test(name) && length >= 8 && length < MIN_SECRET_LENGTH ? [name] : []
  })
  return [...new Set([...shortCredentials(environment), ...others])]
}

function collectForms(environment: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const names = new Map<string, string>()
  const ofApis = new Set(credentialVariables())
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !(SECRET_NAME.test(name) || ofApis.has(name))) continue
    for (const secret of [value.trim(), ...longLines(value)]) {
      for (const form of formsOf(secret)) if (!names.has(form)) names.set(form, name)
    }
  }
  return names
}

// A private key is printed line by line more often than whole.
function longLines(value: string): readonly string[] {
  const lines = value.trim().split('\n')
  return lines.length === 1
    ? []
    : lines.map((line) => line.trim()).filter((line) => line.length >= 24 && !line.startsWith('-----'))
}

// Git's author and committer are names, not credentials.
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|COOKIE|AUTH(?!OR(?:_|S?$|ITY))/i
const CERTAIN_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)$/i
const KNOWN_SHAPES = [
  String.raw`\bsk-(?:ant|proj|svcacct)-[\w-]{20,}`,
  String.raw`\bgh[oprsu]_[A-Za-z0-9]{30,}`,
  String.raw`\bgithub_pat_\w{30,}`,
  String.raw`\bxox[abprs]-[\w-]{20,}`,
  String.raw`\bAKIA[0-9A-Z]{16}\b`,
]
// What a JSON text holds that holds a secret of a known shape, or a terminal code that may hide one: words begin after
// an escaped character too.
const SIGNS = [
  ...KNOWN_SHAPES.map((shape) => shape.replaceAll(String.raw`\b`, '')),
  String.raw`\\u001b|[\u0080-\u009f]`,
]
const TERMINAL_CODE = /[\u001B\u0080-\u009F]/

/** A shorter secret is too likely a part of other words, such as `dummy` or `ollama`, to be searched for in texts. */
export const MIN_SECRET_LENGTH = 16

/** Replaces a secret, in each of its forms, in a text by as many asterisks. */
export function hideSecret(text: string, secret: string): string {
  return formsOf(secret).reduce((rest, form) => rest.replaceAll(form, '*'.repeat(form.length)), text)
}

/** How a secret is written: as it is, in JSON, in URLs and in base64. A short one has no forms. */
export function formsOf(secret: string): readonly string[] {
  if (secret.length < MIN_SECRET_LENGTH) return []
  const inBase64 = [0, 1, 2].map((offset) => encodeInside(secret, offset))
  const inBase64Url = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const inUrl = encodeURIComponent(secret)
  const inUrls = [inUrl, inUrl.replaceAll('%20', '+')]
  return [...new Set([secret, inJson(secret), ...inUrls, ...inBase64, ...inBase64Url])]
}

// The letters that stay the same wherever the secret begins in a longer base64 text, as after `user:`.
function encodeInside(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** A text as it stands between the quotes of JSON. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Names of the variables whose credentials are too short to be searched for. */
function shortCredentials(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return credentialVariables().filter((name) => {
    const { length } = environment[name]?.trim() ?? ''
    return length > 0 && length < MIN_SECRET_LENGTH
  })
}
