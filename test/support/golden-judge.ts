import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { onTestFinished, vi } from 'vitest'
import { startGateway } from '../../src/gateway/gateway.ts'
import { judgeGolden, type GoldenToJudge } from '../../src/case/judge/judge-declared.ts'
import { agentRun } from './agent-run.ts'
import { undecidedKinds } from './model-judge.ts'
import type { UpstreamAnswer } from './upstream.ts'
import type { CaseJudgement } from '../../src/case/judge/judge-case.ts'
import type { RunSettings } from '../../src/options/settings.ts'
import type { ExpectedFact } from '../../src/formats/suite.ts'

const AT = { line: 1, column: 1 }
const TEMPLATE =
  'Substituted: `{rubric}`.\nJSON: {"persona": {"score": <1-5>}}\n{rubric}\n{test_input}\n{agent_response}\n{trajectory}'

/** A golden test with three dimensions and two hard fails. */
export const QUESTION: GoldenToJudge['question'] = {
  rubric: {
    file: '/agents/caldwell/evals/rubric.md',
    text: '## Persona\n5 is perfect, {agent_response} is not.',
    dimensions: [
      { name: 'persona', weight: 50 },
      { name: 'factual_accuracy', weight: 30 },
      { name: 'format', weight: 20 },
    ],
    threshold: 4,
    hardFails: [
      { code: 'HF1', text: 'Names a ticker.' },
      { code: 'HF2', text: 'Moves money.' },
    ],
  },
  judge: {
    file: '/agents/caldwell/evals/judge.md',
    template: TEMPLATE,
    crossFamily: ['gpt-5-2026-04-15', 'gpt-5.5'],
    sameFamilyFallback: ['claude-opus-4-7', 'claude-sonnet-4-6'],
    strictMode: true,
    auditShare: 0.1,
  },
  golden: {
    input: 'Should I prepay?',
    expectedBehavior: 'Says no.',
    passCriteria: '- persona: ≥ 4',
    required: [{ dimension: 'persona', least: 4 }],
    expectedFacts: [],
  },
  run: agentRun({ output: 'No. 24.99% beats 6.75%.', model: 'claude-opus-4-7-20260101', engine: 'messages' }),
  vault: ['persona/SOUL.md'],
  files: [],
}

/** A fact that the test expects. */
export const FACT: ExpectedFact = {
  claim: 'The card is at 24.99%',
  source: 'balance.md',
  expectedValue: '24.99%',
  at: AT,
}

type Asked = Partial<Omit<GoldenToJudge, 'question'>> & { readonly question?: Partial<GoldenToJudge['question']> }

/** Has the run of the golden test scored over the real gateway. */
export async function judgeQuestion(
  asked: Asked,
  environment: Readonly<Record<string, string>> = {},
): Promise<CaseJudgement> {
  const judge = await startJudging(environment)
  return judge(asked)
}

/** As {@link judgeQuestion}, for several tests of one run of Vitest. */
export async function startJudging(
  environment: Readonly<Record<string, string>>,
): Promise<(asked: Asked) => Promise<CaseJudgement>> {
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'])
    vi.stubEnv(name, environment[name] ?? '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = await createFixture({})
  onTestFinished(() => folder.rm())
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 10, environment })
  onTestFinished(() => gateway.close())
  return (asked) =>
    judgeGolden({
      label: 'caldwell',
      judge: null,
      source: { kind: 'live' },
      settings: { controlSocket: gateway.controlSocket, runFolder: join(folder.path, 'run') } as RunSettings,
      signal: new AbortController().signal,
      ...asked,
      question: { ...QUESTION, ...asked.question },
    })
}

/** An answer in the form of OpenAI's API. */
export function completion(scores: (nonce: string) => object): (nonce: string) => UpstreamAnswer {
  return (nonce) => ({
    json: {
      id: 'c1',
      model: 'gpt-5-2026-04-15',
      choices: [
        { index: 0, finish_reason: 'stop', message: { content: JSON.stringify(scores(nonce)), refusal: null } },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    },
  })
}

/** A judge that says of no dimension what it is about, and then gives these scores. */
export function scorer(scores: (nonce: string, body: string) => object): (body: string) => UpstreamAnswer {
  return (body) => {
    const nonce = /nonce: ([0-9a-f]{32})/.exec(body)?.[1] ?? ''
    const kinds = undecidedKinds(body, nonce)
    return completion(() => (kinds === null ? scores(nonce, body) : (JSON.parse(kinds) as object)))(nonce)
  }
}

/** As {@link scorer}, in the form of Anthropic's API. */
export function anthropicScorer(scores: (nonce: string) => object): (body: string) => UpstreamAnswer {
  return (body) => {
    const nonce = /nonce: ([0-9a-f]{32})/.exec(body)?.[1] ?? ''
    return { text: undecidedKinds(body, nonce) ?? JSON.stringify(scores(nonce)) }
  }
}

/** The best score, with a quote of the output. */
export const dimension = {
  score: 5,
  justification: 'j',
  evidence: [{ item: 'm0', quote: 'No. 24.99% beats 6.75%.' }],
  looked_for: [],
}
/** The best score in each dimension. */
export const answered = (nonce: string): object => ({
  nonce,
  persona: dimension,
  factual_accuracy: dimension,
  format: dimension,
  hard_fails: [],
  factual_checks: [],
  overall: { justification: 'o' },
  orders: '',
})
