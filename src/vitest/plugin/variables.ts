import type { VariableName } from './options.ts'

/** How the environment calls each option. */
export const VARIABLES: Readonly<Record<VariableName, string>> = {
  engine: 'AGENT_EVALS_ENGINE',
  model: 'AGENT_EVALS_MODEL',
  judge: 'AGENT_EVALS_JUDGE',
  votes: 'AGENT_EVALS_VOTES',
  judgeFailedCases: 'AGENT_EVALS_JUDGE_FAILED_CASES',
  source: 'AGENT_EVALS_SOURCE',
  drift: 'AGENT_EVALS_DRIFT',
  target: 'AGENT_EVALS_TARGET',
  runs: 'AGENT_EVALS_RUNS',
  passThreshold: 'AGENT_EVALS_PASS_THRESHOLD',
  baseline: 'AGENT_EVALS_BASELINE',
  aa: 'AGENT_EVALS_AA',
  triggerThreshold: 'AGENT_EVALS_TRIGGER_THRESHOLD',
  kind: 'AGENT_EVALS_KIND',
  category: 'AGENT_EVALS_CATEGORY',
  agentsRoot: 'AGENT_EVALS_AGENTS_ROOT',
  runLog: 'AGENT_EVALS_RUN_LOG',
  summaryOnly: 'AGENT_EVALS_SUMMARY_ONLY',
  evals: 'AGENT_EVALS_EVALS',
  scenarios: 'AGENT_EVALS_SCENARIOS',
  projectCopy: 'AGENT_EVALS_PROJECT_COPY',
  readOnlyFixtures: 'AGENT_EVALS_READ_ONLY_FIXTURES',
  timeout: 'AGENT_EVALS_TIMEOUT',
  concurrency: 'AGENT_EVALS_CONCURRENCY',
  maxCostUsd: 'AGENT_EVALS_MAX_COST_USD',
  allowUnknownCost: 'AGENT_EVALS_ALLOW_UNKNOWN_COST',
  maxCostUsdPerCase: 'AGENT_EVALS_MAX_COST_USD_PER_CASE',
  sandbox: 'AGENT_EVALS_SANDBOX',
  resume: 'AGENT_EVALS_RESUME',
  keepWorkspace: 'AGENT_EVALS_KEEP_WORKSPACE',
  dryRun: 'AGENT_EVALS_DRY_RUN',
  export: 'AGENT_EVALS_EXPORT',
  report: 'AGENT_EVALS_REPORT',
  html: 'AGENT_EVALS_HTML',
  shard: 'AGENT_EVALS_SHARD',
}

const NUMBERS: ReadonlySet<string> = new Set([
  'concurrency',
  'maxCostUsd',
  'maxCostUsdPerCase',
  'passThreshold',
  'runs',
  'timeout',
  'triggerThreshold',
  'votes',
])

const SWITCHES: ReadonlySet<string> = new Set([
  'aa',
  'allowUnknownCost',
  'baseline',
  'dryRun',
  'judgeFailedCases',
  'keepWorkspace',
  'projectCopy',
  'readOnlyFixtures',
  'resume',
  'runLog',
  'summaryOnly',
])

/** An option that the environment can set. */
export interface OptionVariable {
  readonly option: string
  readonly variable: string
  /** Whether it is on or off. */
  readonly isSwitch: boolean
}

/** Every option that the environment can set; the command has a flag for each. */
export function optionVariables(): readonly OptionVariable[] {
  return Object.entries(VARIABLES).map(([option, variable]) => ({ option, variable, isSwitch: SWITCHES.has(option) }))
}

const WORDS: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false }

/** Reads the variables that are set, as numbers and switches where they are that; unknown words stay texts. */
export function readVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const variables: Record<string, unknown> = {}
  for (const [option, variable] of Object.entries(VARIABLES)) {
    const text = environment[variable]
    if (text !== undefined && text !== '') variables[option] = readValue(option, text)
  }
  return variables
}

function readValue(option: string, text: string): unknown {
  if (NUMBERS.has(option)) return Number(text)
  if (SWITCHES.has(option)) return WORDS[text] ?? text
  if (option === 'report') return WORDS[text] === false ? false : text
  if (option === 'html') return WORDS[text] ?? text
  return text
}
