import { credentialVariables } from './credentials.ts'

/** A shorter secret is too likely a part of other words, such as `dummy` or `ollama`, to be searched for in texts. */
export const MIN_SECRET_LENGTH = 16

/** Replaces a secret in a text by as many asterisks; a short one is not searched for. */
export function hideSecret(text: string, secret: string): string {
  return secret.length < MIN_SECRET_LENGTH ? text : text.replaceAll(secret, '*'.repeat(secret.length))
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
