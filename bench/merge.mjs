// How long `merge` takes for the journals of 16 machines with 10,000 cases together, and how much memory.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileSources, REPOSITORY, start, timeOf, write } from './shared/project.mjs'

const MACHINES = 16
const CASES = Number(process.env.CASES ?? 10_000)
const TIMES = Number(process.env.TIMES ?? 3)

export async function bench() {
  const sources = compileSources()
  const { openJournal } = await import(new URL('report/results/journal.js', sources).href)
  const root = mkdtempSync(join(tmpdir(), 'merge-bench-'))
  try {
    for (let index = 1; index <= MACHINES; index += 1) await writeRun(root, index, openJournal)
    write(join(root, 'peak.cjs'), PEAK)
    const command = [
      '--require',
      './peak.cjs',
      join(REPOSITORY, 'dist/cli/main.js'),
      'merge',
      'runs',
      '-o',
      'report.json',
    ]
    let [best, computed, peak] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0]
    for (let time = 0; time < TIMES; time += 1) {
      const running = start(process.execPath, command, root)
      best = Math.min(best, await timeOf(running))
      const [, rss, cpu] = /PEAK (\d+) (\d+)/.exec(running.output())
      peak = Math.max(peak, Number(rss) / 1024)
      computed = Math.min(computed, Number(cpu) / 1e6)
      if (!running.output().includes(`${CASES} passed`)) throw new Error(running.output().slice(-2000))
    }
    const what = `merging ${MACHINES} journals of ${CASES} cases together`
    return [
      { what, value: best / 1000, unit: 's', reach: 10 },
      { what: `${what}: its computing`, value: computed, unit: 's', reach: null },
      { what: `${what}: peak of the process`, value: peak, unit: 'MB', reach: 500 },
      {
        what: `${what}: the report`,
        value: statSync(join(root, 'report.json')).size / 1024 ** 2,
        unit: 'MB',
        reach: null,
      },
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const PEAK = `process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  process.stderr.write('PEAK ' + maxRSS + ' ' + (userCPUTime + systemCPUTime) + '\\n')
})
`

async function writeRun(root, index, openJournal) {
  const startedAt = '2026-02-22T14:30:00.000Z'
  const run = `2026-02-22T14-30-00-000Z-${index.toString(16).padStart(6, '0')}`
  const folder = join(root, 'runs', String(index), run)
  const results = Array.from({ length: CASES }, (_, number) => number)
    .filter((number) => number % MACHINES === index - 1)
    .map((number) => resultOf(number, run))
  const plan = {
    version: 1,
    run,
    startedAt,
    rounds: [],
    root: '/repo',
    plan: 'a'.repeat(64),
    cut: { hash: 'b'.repeat(64), times: 'recordings' },
    cases: results.map(plannedPart),
    files: [],
    reports: [
      {
        packageRoot: '/repo',
        engineName: 'claude-code',
        packageName: 'p',
        packageVersion: '1',
        judge: null,
        timeout: 120,
      },
    ],
    options: { shard: { index, count: MACHINES } },
    versions: { agentEvals: '0.2.0', vitest: '4.1.12', node: '24.0.0' },
    process: { pid: 1, startTicks: null, host: 'elsewhere' },
  }
  write(join(folder, 'run.json'), JSON.stringify(plan))
  write(join(folder, 'ended.json'), JSON.stringify({ status: 'complete', reports: [] }))
  const journal = openJournal(folder)
  // Each waits for the disk: all at once share it.
  await Promise.all(results.map((result) => (journal.start(result), journal.end(result))))
  await journal[Symbol.asyncDispose]()
}

function plannedPart({ id, name, suite, format, file, at, target, category, tags, packageRoot, engineName, asked }) {
  return { id, name, suite, format, file, at, target, category, tags, packageRoot, engineName, asked }
}

// As a live case leaves it: a run with tool calls, three checks, a judge with three statements, the hashes of its inputs.
function resultOf(number, run) {
  const suite = `evals/cases/suite-${number % 500}.yaml`
  const text = `The page ${number} has a table with two columns, and its sum is as the invoice says.`
  const usage = { inputTokens: 41_000, outputTokens: 900, cacheReadTokens: 30_000, cacheWriteTokens: 4000 }
  const statement = (n) => ({
    text: `Statement ${n}: ${text}`,
    outcome: 'passed',
    reason: `It says so: ${text}`,
    quote: text.slice(0, 60),
    at: null,
    evidence: null,
  })
  return {
    id: `${suite}#case-${number}`,
    name: `case-${number}`,
    suite,
    format: 'aam',
    file: suite,
    at: { line: 1 + (number % 50) * 9, column: 1 },
    target: `skill:skill-${number % 40}`,
    category: null,
    tags: ['nightly'],
    packageRoot: '/repo',
    engineName: 'claude-code',
    asked: ['prompt', 'checks', 'workspace', 'criteria'].map((role) => ({ role, hash: hashOf(`${role}${number}`) })),
    outcome: 'passed',
    reason: null,
    error: null,
    startedAt: '2026-02-22T14:30:01.000Z',
    duration_seconds: 18 + number / 1000,
    source: 'live',
    recorded: null,
    agent: {
      runtime: 'claude-code',
      runtime_version: '2.1.330',
      model: 'claude-sonnet-4-5',
      model_provider: 'anthropic',
      session_id: `s${number}`,
    },
    modelAsked: null,
    runs: [
      {
        index: 1,
        status: 'completed',
        problem: null,
        exit_code: 0,
        duration_seconds: 17 + number / 1000,
        requests: 8,
        usage: { input_tokens: 41_000, output_tokens: 900, cache_read_tokens: 30_000, cache_write_tokens: 4000 },
        cost_usd: 0.02,
        files: { created: [`out/${number}.txt`], modified: [], deleted: [], unreadable: [] },
        hooks: [],
        tool_calls: { Bash: 4, Read: 3, Skill: 1 },
        skills_used: [`skill-${number % 40}`],
        decided_by: null,
        decided_because: null,
        folder: `.vitest/agent-evals/${run}/cases/${number}`,
        internal: { lastMessage: `${text} ${text}` },
      },
    ],
    checks: ['contains', 'files-created', 'skill-used'].map((kind) => ({
      kind,
      value: `out/${number}.txt`,
      at: { line: 5, column: 3 },
      outcome: 'passed',
      message: `The ${kind} of ${number} is as it should be.`,
    })),
    judge: {
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      outcome: 'passed',
      reason: text,
      error: null,
      statements: [1, 2, 3].map(statement),
      notices: [],
      usage,
      costUsd: 0.004,
    },
    repeats: null,
    trigger: null,
    agent_output_snippet: `${text} ${text} ${text}`,
    sabotage: null,
    sandbox: { asked: 'auto', enforced: 'bubblewrap' },
    hashes: Array.from({ length: 12 }, (_, n) => ({
      path: n === 0 ? suite : `skills/skill-${number % 40}/file-${n}.md`,
      role: n === 0 ? 'case' : 'skill',
      hash: hashOf(n === 0 ? suite : `${number % 40}-${n}`),
    })),
    reused_from: null,
    cached: false,
    notices: [],
  }
}

function hashOf(text) {
  let state = 2_166_136_261
  let hash = ''
  for (let round = 0; hash.length < 64; round += 1) {
    for (const letter of `${text}${round}`) state = Math.imul(state ^ letter.codePointAt(0), 16_777_619)
    hash += (state >>> 0).toString(16).padStart(8, '0')
  }
  return hash
}
