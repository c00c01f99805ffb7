import type { ApiAnswer, ApiRequest } from '../faulty-api.ts'
import { agreement, ANSWER } from '../conformance/live.ts'
import type { Files } from './aam.ts'
import type { Ending } from './red-package.ts'

const DONE: ApiAnswer = { text: ANSWER }
const DOWN: ApiAnswer = { status: 401, type: 'authentication_error', message: 'invalid key' }

/** What an API answers to the agent of a case and to its judge, and how the case ends; without a judge that one agrees. */
interface Asked {
  readonly agent: ApiAnswer
  readonly judge?: ApiAnswer
  readonly ends: Ending
}

/** Cases by name. */
export const LIVE: Readonly<Record<string, Asked>> = {
  fine: { agent: DONE, ends: 'passed' },
  forbidden: { agent: DOWN, ends: 'errored upstream-failed' },
  garbled: { agent: { garbage: 'page' }, ends: 'errored upstream-failed' },
  'breaks-off': { agent: { breaks: 'off' }, ends: 'errored upstream-failed' },
  hangs: { agent: { hangs: true }, ends: 'errored upstream-failed' },
  'hangs-in-the-middle': { agent: { breaks: 'never' }, ends: 'errored upstream-failed' },
  declines: { agent: { declines: true }, ends: 'errored model-refused' },
  'is-cut': { agent: { isCut: true }, ends: 'errored max-tokens' },
  'judge-forbidden': { agent: DONE, judge: DOWN, ends: 'errored judge-failed' },
  'judge-declines': { agent: DONE, judge: { declines: true }, ends: 'errored judge-failed' },
  'judge-cut': { agent: DONE, judge: { isCut: true }, ends: 'errored judge-failed' },
  'judge-garbled': { agent: DONE, judge: { text: 'It passes.' }, ends: 'errored judge-failed' },
}

/** Files of a package with these cases, which have no scenario. */
export function livePackage(names: readonly string[], config: object): Files {
  return {
    'package.agent.json': '{ "name": "red", "version": "1.0.0" }\n',
    'evals/eval-config.json': JSON.stringify({ version: 1, engine: 'messages', ...config }),
    ...Object.fromEntries(
      names.map((name) => [
        `evals/cases/${name}.yaml`,
        JSON.stringify({ name, input: { prompt: `Go: ${name}.` }, judge: { criteria: 'It is done.' } }),
      ]),
    ),
  }
}

/** The API of these cases. */
export function answerLive(request: ApiRequest): ApiAnswer {
  const { agent, judge } = LIVE[/Go: ([a-z-]+)\./.exec(request.body)?.[1] ?? ''] ?? { agent: DOWN }
  const agrees = agreement(request)
  return agrees === null ? agent : (judge ?? agrees)
}
