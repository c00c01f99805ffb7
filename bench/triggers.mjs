// 45 trigger runs of the real claude: the whole command against a bare shell loop that starts the CLI as often on the same answers.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startModel } from './shared/model.mjs'
import { compileSources, CONFIG, link, NO_CACHE, REPOSITORY, write } from './shared/project.mjs'
import { measure } from './shared/shell.mjs'

// The shell loop gets its answers from our gateway; the built package has these parts in its bundle only.
const sources = compileSources()
const { claudeCode } = await import(new URL('engines/claude-code/engine.js', sources).href)
const { acquireLease } = await import(new URL('gateway/control/client.js', sources).href)
const { startGateway } = await import(new URL('gateway/gateway.js', sources).href)
const { loadScenario } = await import(new URL('gateway/sources/load-scenario.js', sources).href)

const run = promisify(execFile)

const QUERIES = 15
const RUNS = 3
// In turns, since other work on the machine comes and goes.
const ROUNDS = Number(process.env.ROUNDS ?? 2)
const CONCURRENCY = Number(process.env.CONCURRENCY ?? availableParallelism())
const SKILLS = ['letters', 'notes']
// A scenario asks no model: this one is asked by the API, as a real one is.
const NO_LATENCY = { begins: 0, ends: 0 }
// Until an answer begins, and until it is complete.
const LATENCY = { begins: 500, ends: 1500 }
const KEY = 'sk-ant-api03-bench'

const INTRODUCE = 'echo "You have skills: use them."'

let root = ''
// Suites are looked for in the project, so the loop runs elsewhere.
let bareRoot = ''
let loops = 0
// Settings of each session, where the package has hooks.
let hooks = null

/** 8 of 15 queries call the skill and 7 end their turn, as descriptions that work do. */
export async function bench() {
  root = mkdtempSync(join(tmpdir(), 'triggers-bench-'))
  bareRoot = mkdtempSync(join(tmpdir(), 'triggers-loop-'))
  try {
    writeProject()
    // The other parts take most of an hour on a busy machine.
    if (process.env.ONLY === 'hook') return await compareWithHook()
    const figures = [...(await compare('', null, 0.1)), ...(await compareReplays())]
    figures.push(...(await compare(', a loopback model without latency', NO_LATENCY, 0.1)))
    figures.push(...(await compare(', 1.5 s a model turn', LATENCY, 0.15)))
    for (const index of QUERY_INDEXES.filter((one) => one % 3 === 0)) writeScenario(index, [LOOK])
    figures.push(...(await compare(', 1.5 s a model turn, a third undecided', LATENCY, null)))
    return [...figures, ...(await compareWithHook())]
  } finally {
    for (const folder of [root, bareRoot]) rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(what, latency, reach) {
  const model = latency === null ? null : await startModel(latency, (index) => readScenario(index).turns)
  const live =
    model === null ? {} : { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: KEY, AGENT_EVALS_SOURCE: 'live' }
  const bare = []
  const ours = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push((await runBare(live)).wall / 1000)
      ours.push((await runOurs(live)).wall / 1000)
    }
  } finally {
    await model?.close()
  }
  fastestLoop ??= Math.min(...bare)
  const runs = `${QUERIES * RUNS} trigger runs${what}, ${CONCURRENCY} at once, best of ${ROUNDS}`
  const ratio = Math.min(...ours) / Math.min(...bare)
  return [
    { what: `${runs}: shell loop`, value: Math.min(...bare), unit: 's', reach: null },
    { what: `${runs}: vitest`, value: Math.min(...ours), unit: 's', reach: null },
    { what: `${runs}: makespan against the shell loop`, value: ratio, unit: 'x', reach },
  ]
}

/** The same where a hook introduces the skills; the shell loop has it in its settings. */
function compareWithHook() {
  for (const index of QUERY_INDEXES) writeScenario(index, [])
  hooks = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: INTRODUCE }] }] } }
  write(join(root, 'hooks/hooks.json'), JSON.stringify(hooks))
  return compare(', a steady SessionStart hook', null, 0.15)
}

let fastestLoop = null

async function compareReplays() {
  await runOurs({ AGENT_EVALS_SOURCE: 'record', VITEST_AGENT_EVALS_RECORD_SCENARIOS: '1' })
  const replays = []
  for (let round = 0; round < ROUNDS; round += 1)
    replays.push((await runOurs({ AGENT_EVALS_SOURCE: 'replay' })).wall / 1000)
  rmSync(join(root, 'evals/recordings'), { recursive: true })
  const runs = `${QUERIES * RUNS} trigger runs replayed, best of ${ROUNDS}`
  return [
    { what: `${runs}: vitest`, value: Math.min(...replays), unit: 's', reach: null },
    {
      what: `${runs}: makespan against the shell loop`,
      value: Math.min(...replays) / fastestLoop,
      unit: 'x',
      reach: 0.1,
    },
  ]
}

function writeProject() {
  write(join(root, 'package.json'), '{"private": true, "type": "module"}')
  write(join(root, 'vitest.config.mjs'), CONFIG())
  for (const name of SKILLS) {
    write(
      join(root, `skills/${name}/SKILL.md`),
      `---\nname: ${name}\ndescription: Writes ${name}.\n---\n\nDo it well.\n`,
    )
  }
  const queries = QUERY_INDEXES.map((index) => {
    return { id: `q${index}`, query: `Question ${index}`, should_trigger: usesSkill(index) }
  })
  write(join(root, 'skills/notes/evals/triggers.json'), JSON.stringify(queries))
  for (const index of QUERY_INDEXES) writeScenario(index, [])
  link(REPOSITORY, join(root, 'node_modules/vitest-agent-evals'))
  link(join(REPOSITORY, 'node_modules/vitest'), join(root, 'node_modules/vitest'))
}

const QUERY_INDEXES = Array.from({ length: QUERIES }, (_, index) => index)
const LOOK = { tools: [{ name: 'Bash', input: { command: 'ls', description: 'look' } }] }

function usesSkill(index) {
  return index % 2 === 0
}

function writeScenario(index, before) {
  const use = usesSkill(index) ? [{ tools: [{ name: 'Skill', input: { skill: 'notes' } }] }] : []
  write(join(root, `evals/scenarios/q${index}.yaml`), JSON.stringify({ turns: [...before, ...use, 'Done.'] }))
}

function readScenario(index) {
  return JSON.parse(readFileSync(join(root, `evals/scenarios/q${index}.yaml`), 'utf8'))
}

async function runOurs(more) {
  const bin = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const script = `'${process.execPath}' '${bin}' run --project evals --reporter=dot`
  const env = {
    ...process.env,
    AGENT_EVALS_CONCURRENCY: String(CONCURRENCY),
    AGENT_EVALS_ENGINES: REPOSITORY,
    AGENT_EVALS_RUNS: String(RUNS),
    // What many requests may cost at most is more than the default.
    AGENT_EVALS_MAX_COST_USD: '1000',
    ...NO_CACHE,
    ...more,
  }
  const measured = await measure(script, { cwd: root, env })
  const runs = transcriptsOf(join(root, '.vitest/agent-evals'))
  rmSync(join(root, '.vitest'), { recursive: true })
  if (runs !== QUERIES * RUNS) throw new Error(`Vitest made ${runs} runs.`)
  return measured
}

function transcriptsOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return files.filter(({ name }) => name === 'transcript.jsonl').length
}

/** What one would write by hand: a folder of its own for each run, the skills, the CLI, its answer in a file. */
async function runBare(live) {
  const traffic = [claudeCode.traffic]
  const gateway = await startGateway({ concurrency: CONCURRENCY, maxCostUsd: 1000, environment: live, traffic })
  loops += 1
  const round = loops
  const folder = join(bareRoot, String(round))
  const queue = Array.from({ length: QUERIES * RUNS }, (_, index) => index)
  // Takes a lease when its run begins: the gateway holds back leases until the first sessions have an answer.
  const work = async () => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      const lease = await prepareBare(gateway, round, index, 'ANTHROPIC_BASE_URL' in live)
      try {
        const at = join(folder, String(index))
        await run('sh', [
          '-c',
          `cd '${at}' && mkdir -p home config tmp workspace/.claude/skills && cp -R '${root}'/skills/* workspace/.claude/skills/ && sh run.sh`,
        ])
      } finally {
        await lease.release()
      }
    }
  }
  try {
    const began = performance.now()
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    const wall = performance.now() - began
    const ended = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'done')))
    if (ended.length !== QUERIES * RUNS) throw new Error(`The shell loop ended ${ended.length} runs.`)
    return { wall }
  } finally {
    await gateway.close()
  }
}

async function prepareBare(gateway, round, index, isLive) {
  const query = index % QUERIES
  const { scenario: answers } = await loadScenario(join(root, `evals/scenarios/q${query}.yaml`))
  const source = isLive ? { kind: 'live' } : { kind: 'scenario', scenario: answers }
  const asked = { caseId: `bare ${index}`, engine: 'claude-code', wire: 'anthropic-messages', source }
  const lease = await acquireLease(gateway.controlSocket, asked, new AbortController().signal)
  const at = (path) => join(bareRoot, String(round), String(index), path)
  const { arguments: words, env } = claudeCode.command({
    prompt: '',
    target: null,
    model: null,
    paths: {
      workspace: at('workspace'),
      home: at('home'),
      config: at('config'),
      tmp: at('tmp'),
      shim: at('shim/shim.js'),
    },
    confined: true,
    writablePaths: null,
    hasMcp: false,
    resume: null,
    gateway: { ...lease.grant, baseUrl: '' },
    env: {},
  })
  const claude = join(REPOSITORY, 'node_modules/.bin/claude')
  const variables = Object.entries({ PATH: process.env.PATH, ...env }).map(([name, value]) => `${name}='${value}'`)
  const command = ['env', '-i', ...variables, `'${claude}'`, ...words.map((word) => `'${word}'`)].join(' ')
  write(at('config/session-settings.json'), JSON.stringify(hooks ?? {}))
  write(
    at('run.sh'),
    `cd '${at('workspace')}' && echo 'Question ${query}' | ${command} > '${at('out.jsonl')}' && touch '${at('done')}'\n`,
  )
  return lease
}
