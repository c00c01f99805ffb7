import type { MadeCase } from './page-run.ts'
import type { ReportCase } from '../../src/report/report.ts'
import type { TranscriptEvent } from '../../src/transcript/transcript.ts'

/** A message of the agent. */
export function message(n: number, text: string, agent: string | null = null): TranscriptEvent {
  return { n, agent, from: 'model', kind: 'message', text }
}

/** A case with one text in every place that a report has. */
export function hostileCase(text: string): MadeCase {
  return {
    name: text,
    target: text,
    category: text,
    tags: [text],
    verdict: 'FAIL',
    error: text,
    prompt: text,
    file: text,
    notices: [text],
    run: {
      problem: text,
      files: {
        created: [{ path: `${text.slice(0, 40).replaceAll('/', '_').replaceAll('\0', '')}.svg`, size: 1, hash: '' }],
        modified: [],
        deleted: [text],
        unreadable: [{ path: text, reason: text }],
      },
    },
    checks: [{ kind: 'contains', value: text, line: 1, result: 'FAIL', message: text, weak: text }],
    expectations: [
      { text, evidence: [{ item: text, quote: text }], evidence_found_in: text, reason: text, weak: text },
    ],
    graded: {
      score: 0,
      threshold: 1,
      graders: [
        {
          name: text,
          type: text,
          line: 1,
          weight: 1,
          scored: true,
          result: 'FAIL',
          explanation: text,
          votes: null,
          ours: { reason: text, quote: text, quote_found: true },
        },
      ],
    },
    events: [
      message(1, text),
      {
        n: 2,
        agent: text,
        from: 'model',
        kind: 'tool-call',
        id: 'a',
        tool: text,
        input: { [text]: text, list: [text] },
      },
      {
        n: 3,
        agent: text,
        from: 'given to the model',
        kind: 'tool-result',
        id: 'a',
        text,
        isError: true,
        blockedBy: null,
      },
      {
        n: 4,
        agent: null,
        from: 'hook',
        kind: 'hook',
        event: text,
        tool: text,
        decision: 'failed',
        exitCode: 1,
        reason: text,
      },
      { n: 5, agent: null, from: 'given to the model', kind: 'skill-used', skill: text, via: 'tool' },
    ],
  }
}

const LONG = Array.from({ length: 200 }, (_, index) => `line ${index} of a long result`).join('\n')

/** Quotes of a judge, with the text that has to be marked for each. */
export const QUOTES: readonly { readonly quote: string; readonly foundIn: string; readonly marked: string }[] = [
  { quote: 'the total is 254.50', foundIn: 'output', marked: 'the total is 254.50' },
  { quote: '"node  extract.mjs"', foundIn: 'transcript', marked: 'node extract.mjs' },
  { quote: 'line 150 of a long result', foundIn: 'transcript', marked: 'line 150 of a long result' },
  { quote: '"subagent_type":"reviewer"', foundIn: 'transcript', marked: 'subagent_type":"reviewer' },
  {
    quote: 'hook pre-tool-use for Write decided blocked-exit-2: protected',
    foundIn: 'transcript',
    marked: 'hook pre-tool-use for Write decided blocked-exit-2|protected',
  },
  { quote: 'first … last', foundIn: 'output', marked: 'first|last' },
  { quote: 'caf\u00e9 on the quay', foundIn: 'output', marked: 'cafe\u0301 on the quay' },
  { quote: 'changed line', foundIn: 'notes.md', marked: 'changed line' },
]

/** A case whose judge quotes from everywhere. */
export function quotedCase(): MadeCase {
  return {
    name: 'quoted',
    expectations: QUOTES.map(({ quote, foundIn }) => ({
      evidence: [{ item: null, quote }],
      evidence_found_in: foundIn,
    })),
    judge_verdict: {
      result: 'PASS',
      reason: 'All hold.',
      model: 'claude-judge',
      model_provider: null,
      self_judged: false,
      votes: 1,
      usage: null,
      cost_usd: 0,
    },
    events: [
      message(1, 'I found that the total is 254.50, first of all. A cafe\u0301 on the quay, last.'),
      {
        n: 2,
        agent: null,
        from: 'model',
        kind: 'tool-call',
        id: 'a',
        tool: 'Bash',
        input: { command: 'node extract.mjs', subagent_type: 'reviewer' },
      },
      {
        n: 3,
        agent: 'reviewer#a',
        from: 'given to the model',
        kind: 'tool-result',
        id: 'a',
        text: LONG,
        isError: false,
        blockedBy: null,
      },
      {
        n: 4,
        agent: null,
        from: 'hook',
        kind: 'hook',
        event: 'pre-tool-use',
        tool: 'Write',
        decision: 'blocked-exit-2',
        exitCode: 2,
        reason: 'protected path',
      },
    ],
    times: { 1: 100, 2: 400, 3: 900 },
    run: { files: { created: [], modified: [{ path: 'notes.md', size: 30, hash: '' }], deleted: [], unreadable: [] } },
    files: { 'before/notes.md': `old line\n${LONG}\n`, 'notes.md': `changed line\n${LONG}\n` },
  }
}

/** A case whose agent starts sub-agents that all work at the same time. */
export function delegatedCase(subAgents: number): MadeCase {
  const agents = Array.from({ length: subAgents }, (_, index) => `reviewer#call-${index}`)
  const events = [message(1, 'I ask for reviews.')]
  for (const text of ['I begin.', 'I am done.'])
    for (const agent of agents) events.push(message(events.length + 1, text, agent))
  return { name: 'delegated', events: [...events, message(events.length + 1, 'All are done.')] }
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** A case that created a picture, modified a text and deleted another. */
export function changedCase(): MadeCase {
  return {
    name: 'changed',
    run: {
      files: {
        created: [{ path: 'a.png', size: PIXEL.length, hash: '' }],
        modified: [{ path: 'b.txt', size: 12, hash: '' }],
        deleted: ['c.txt'],
        unreadable: [],
      },
    },
    files: {
      'a.png': PIXEL,
      'b.txt': 'one\n2\nthree\n',
      'before/b.txt': 'one\ntwo\nthree\n',
      'before/c.txt': 'was here\n',
    },
    events: [message(1, 'Done.')],
  }
}

/** Cases of every outcome, with runs, scores and an arm. */
export function everyKind(): readonly MadeCase[] {
  const repeats = {
    runs: 3,
    completed: 3,
    passed: 2,
    errors: 0,
    rate: 0.667,
    interval: [0.2, 0.94] as const,
    threshold: 1,
    pass_at_k: [],
    pass_all_k: [],
  }
  const trigger = {
    skill: 'made',
    should_trigger: true,
    runs: 4,
    completed: 3,
    fired: 2,
    fired_in_sub_agent: 0,
    errors: 0,
    timeouts: 0,
    rate: 0.667,
    interval: [0.2, 0.94] as const,
    threshold: 0.5,
    fired_instead: ['other'],
  }
  return [
    {
      name: 'several',
      runCount: 3,
      repeats,
      verdict: 'FAIL',
      error: 'Only 2 of 3 runs passed.',
      scores: { clarity: 4, depth: null },
      weighted_score: 4,
      hard_fails: ['It lied.'],
    },
    {
      name: 'query',
      runCount: 3,
      trigger,
      engine: 'codex',
      run: { decided_by: 'probe+full', decided_because: 'the model first called Bash' },
    },
    {
      name: 'graded',
      verdict: 'FAIL',
      error: 'The score is 0.50, needed 0.8.',
      events: [message(1, 'Hello, World')],
      graded: { score: 0.5, threshold: 0.8, graders: GRADERS },
    },
    {
      name: 'broken',
      verdict: 'ERROR',
      error: 'The API failed.',
      error_code: 'upstream-failed',
      sandbox: { asked: 'auto', enforced: 'none (container)' },
    },
    { name: 'left out', verdict: 'SKIP', skip_reason: 'no key' },
    {
      name: 'quoted',
      id: 'evals/cases/0.yaml#quoted@without_skill',
      arm: 'without_skill',
      verdict: 'FAIL',
      error: 'Not without it.',
    },
  ]
}

const GRADER = { line: 4, weight: 1, scored: true, votes: null, ours: null }
const GRADERS: NonNullable<ReportCase['graded']>['graders'] = [
  { ...GRADER, name: 'greets', type: 'regex', result: 'PASS', explanation: 'The pattern matches.' },
  {
    ...GRADER,
    name: 'is kind',
    type: 'llm-rubric',
    weight: 2,
    result: 'FAIL',
    explanation: '1 of 3 votes are for it.',
    votes: [true, false, null],
    ours: { reason: 'It is short.', quote: 'Hello, World', quote_found: true },
  },
]

const RATE = { passed: 2, completed: 3, rate: 0.667, interval: [0.2, 0.94] }
/** What a report says that has every chart. */
export const CHARTS = {
  lift: [
    {
      target: 'skill:made',
      cases: 3,
      with_skill: RATE,
      without_skill: { ...RATE, passed: 0, rate: 0 },
      difference: 0.667,
      better: 2,
      worse: 0,
      same: 1,
      p_value: 0.5,
      too_few: true,
    },
  ],
  triggers: [
    {
      suite: 'skills/made/evals/triggers.json',
      queries: 2,
      true_positives: 4,
      false_positives: 1,
      true_negatives: 3,
      false_negatives: 2,
      precision: 0.8,
      recall: 0.67,
      fired_instead: { other: 1 },
    },
  ],
}

/** A case with 50 KB of transcript. */
export function largeCase(index: number): MadeCase {
  // Words that compress no better than those of a model.
  let seed = index + 1
  const word = (): string => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed.toString(36)
  }
  const text = (): string => Array.from({ length: 650 }, word).join(' ')
  const events = Array.from({ length: 12 }, (_, n) => message(n + 1, text()))
  return {
    name: `case-${index}`,
    events,
    verdict: index % 10 === 0 ? 'FAIL' : 'PASS',
    error: index % 10 === 0 ? 'It did not hold.' : null,
  }
}

/** Where the events of {@link scoredCase} are known from. */
export const FROM = ['model', 'given to the model', 'hook', 'cli'] as const

/** A case with a rubric, of an engine that has no gateway. */
export function scoredCase(): MadeCase {
  return {
    name: 'scored',
    record: 'engine',
    usage: { input_tokens: 1000, output_tokens: 200, cache_read_tokens: 30, cache_write_tokens: 4 },
    scores: { clarity: 4, depth: null },
    weighted_score: 4,
    hard_fails: [],
    dimensions: [
      {
        name: 'clarity',
        score: 4,
        reason: 'It is plain.',
        evidence: [{ item: 'e1', quote: 'The total is 254.50' }],
        rests: 'claim',
      },
      { name: 'depth', score: null, reason: '?', evidence: [], rests: null },
    ],
    events: FROM.map((from, index) => ({
      n: index + 1,
      agent: null,
      from,
      kind: 'notice',
      text: index === 0 ? 'The total is 254.50 here.' : 'x',
    })),
  }
}
