import type { ApiAnswer } from '../faulty-api.ts'

/** What an upstream does to one case, and how the case ends on every engine. */
export interface Fault {
  /** Of its case, and of its row with blanks for the hyphens. */
  readonly name: string
  /** Answers to the requests of its session; the last one stays. */
  readonly answers: readonly ApiAnswer[]
  readonly ends: string
  /** Why it errored, in part. */
  readonly error?: RegExp
}

const DONE: ApiAnswer = { text: 'All done.' }
const RATE_LIMIT = { status: 429, type: 'rate_limit_error', message: 'Too many requests' } as const
const OVERLOADED: ApiAnswer = { status: 529, type: 'overloaded_error', message: 'Overloaded' }
const BROKEN: ApiAnswer = { status: 500, type: 'api_error', message: 'Internal server error' }

export const FAULTS: readonly Fault[] = [
  { name: 'fine', answers: [DONE], ends: 'PASS' },
  { name: '429-with-retry-after', answers: [{ ...RATE_LIMIT, retryAfter: 1 }, DONE], ends: 'PASS' },
  { name: '429-without-retry-after', answers: [RATE_LIMIT, DONE], ends: 'PASS' },
  { name: '529-twice', answers: [OVERLOADED, OVERLOADED, DONE], ends: 'PASS' },
  { name: '529-for-ever', answers: [OVERLOADED], ends: 'ERROR upstream-failed', error: /answered 529: .*Overloaded/ },
  { name: '500-once', answers: [BROKEN, DONE], ends: 'PASS' },
  { name: '500-for-ever', answers: [BROKEN], ends: 'ERROR upstream-failed', error: /answered 500: .*Internal server/ },
  {
    name: '401',
    answers: [{ status: 401, type: 'authentication_error', message: 'invalid key' }],
    ends: 'ERROR upstream-failed',
    error: /answered 401: .*invalid key\. Check that the credential is valid\./,
  },
  { name: 'stream-cut-once', answers: [{ breaks: 'off' }, DONE], ends: 'PASS' },
  {
    name: 'stream-cut-for-ever',
    answers: [{ breaks: 'off' }],
    ends: 'ERROR upstream-failed',
    error: /answered 200: the answer broke off/,
  },
  {
    name: 'stream-ends-early-for-ever',
    answers: [{ breaks: 'early' }],
    ends: 'ERROR upstream-failed',
    error: /answered 200: the answer broke off/,
  },
  { name: 'garbage-once', answers: [{ garbage: 'stream' }, DONE], ends: 'PASS' },
  {
    name: 'garbage-for-ever',
    answers: [{ garbage: 'stream' }],
    ends: 'ERROR upstream-failed',
    error: /answered 200: the answer broke off/,
  },
  {
    name: 'a-page-instead-of-an-answer',
    answers: [{ garbage: 'page' }],
    ends: 'ERROR upstream-failed',
    error: /returned something that is not a model response: "<html>/,
  },
  {
    name: 'refusal',
    answers: [{ declines: true }],
    ends: 'ERROR model-refused',
    error: /^The model declined to answer: the API at \S+ ended its answer as a refusal\.$/,
  },
  {
    name: 'cut-off-for-ever',
    answers: [{ isCut: true }],
    ends: 'ERROR max-tokens',
    error: /^The answer of the model was cut off at its limit of tokens/,
  },
  { name: 'slow-first-byte', answers: [{ text: 'All done.', afterMs: 5000 }], ends: 'PASS' },
]

/** What takes a case its whole time, which is short for it. */
export const HANGS: readonly Fault[] = [
  {
    name: 'hang',
    answers: [{ hangs: true }],
    ends: 'ERROR upstream-failed',
    error: /did not end within its \d+ s, of which it waited \d+ s for the API's last answer to begin\./,
  },
  {
    name: 'hang-in-the-middle',
    answers: [{ breaks: 'never' }],
    ends: 'ERROR upstream-failed',
    error: /did not end within its \d+ s, of which it waited \d+ s for the rest of the API's last answer\./,
  },
]

/** Apart from the others, since all who ask an API wait while it refuses one. */
export const RATE_LIMITED: Fault = {
  name: '429-for-ever',
  answers: [RATE_LIMIT],
  ends: 'ERROR upstream-failed',
  error:
    /did not end within its \d+ s, of which it waited \d+ s for the API: The API at \S+ answered 429: .*Too many requests \(\d+ times in a row, over \d+ s\)/,
}
