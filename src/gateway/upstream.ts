import { AgentEvalsError } from '../errors.ts'
import type { ModelApi } from './wires/apis.ts'

/** Where live requests to an API go: the parent's own base URL, else the official one. */
export function findUpstream(
  { variable, official }: ModelApi,
  environment: Readonly<Record<string, string | undefined>>,
): URL {
  const asked = (variable === null ? '' : environment[variable]?.trim()) ?? ''
  if (asked === '') return new URL(official)
  const url = URL.canParse(asked) ? new URL(asked) : null
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new AgentEvalsError('invalid-options', `${variable} is not an http or https address. Correct it or unset it.`)
}
