import { credentialVariables } from './wires/apis.ts'

/** A shorter secret is too likely a part of other words, such as `dummy` or `ollama`, to be searched for in texts. */
export const MIN_SECRET_LENGTH = 16

/** Replaces a secret, in each of its forms, in a text by as many asterisks; a short one is not searched for. */
export function hideSecret(text: string, secret: string): string {
  return secret.length < MIN_SECRET_LENGTH ? text : hideForms(text, formsOf(secret))
}

/** Replaces each form by as many asterisks. */
export function hideForms(text: string, forms: readonly string[]): string {
  return forms.reduce(
    (rest, form) => (rest.includes(form) ? rest.replaceAll(form, '*'.repeat(form.length)) : rest),
    text,
  )
}

/** How a secret is written: as it is, in JSON, URLs, base64 and hexadecimal digits, and reversed. */
export function formsOf(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((offset) => encodeInside(secret, offset))
  const inBase64Url = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const inHex = Buffer.from(secret).toString('hex')
  const reversed = Array.from(secret).toReversed().join('')
  const inUrls = [inUrl(secret), inUrl(secret).replaceAll('%20', '+')]
  const forms = [secret, inJson(secret), ...inUrls, ...inBase64, ...inBase64Url, inHex, inHex.toUpperCase(), reversed]
  return [...new Set(forms)]
}

// The letters that stay the same wherever the secret begins in a longer base64 text, as after `user:`.
function encodeInside(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** A text as it stands between the quotes of JSON. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inUrl(secret: string): string {
  return encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))
}

/** Whether a value is a word of a fixed set, which no secret may change: `"type": "content_block_delta"`. */
export function isEnumeration(name: string, value: string): boolean {
  return ENUMERATIONS.has(name) && WORD.test(value)
}

/** Names of the variables whose credentials are too short to be searched for. */
export function shortCredentials(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return credentialVariables().filter((name) => {
    const { length } = environment[name]?.trim() ?? ''
    return length > 0 && length < MIN_SECRET_LENGTH
  })
}

/** Fields of the APIs and of stored results that hold such a word. */
const ENUMERATIONS: ReadonlySet<string> = new Set(
  (
    'type object role status phase include service_tier finish_reason stop_reason reason ' +
    'kind subtype event outcome verdict code error_code errorCode stopReason source'
  ).split(' '),
)
const WORD = /^[a-z]+(?:[-_.][a-z]+)*$/i
