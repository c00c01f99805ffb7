// 45 trigger runs of the real claude, against a bare shell loop that starts the same CLI as often on the same answers.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileSources } from './shared/project.mjs'
import { measure } from './shared/shell.mjs'

// The shell loop gets its answers from our gateway; the built package has these parts in its bundle only.
const sources = compileSources()
const { claudeCode } = await import(new URL('engines/claude-code/engine.js', sources).href)
const { acquireLease } = await import(new URL('gateway/client.js', sources).href)
const { startGateway } = await import(new URL('gateway/gateway.js', sources).href)
const { loadScenario } = await import(new URL('gateway/sources/load-scenario.js', sources).href)

const QUERIES = 15
const RUNS = 3
// In turns, since other work on the machine comes and goes.
const ROUNDS = Number(process.env.ROUNDS ?? 2)
const CONCURRENCY = Number(process.env.CONCURRENCY ?? availableParallelism())
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))
const SKILLS = ['letters', 'notes']

let root = ''

/** No run is ended early: every other query uses a skill that is not asked about, so both sides do all the same. */
export async function bench() {
  root = mkdtempSync(join(tmpdir(), 'triggers-bench-'))
  try {
    writeProject()
    const bare = []
    const ours = []
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push((await runBare(round)).wall / 1000)
      ours.push((await runOurs()).wall / 1000)
    }
    const runs = `${QUERIES * RUNS} trigger runs, ${CONCURRENCY} at once, best of ${ROUNDS}`
    const ratio = Math.min(...ours) / Math.min(...bare)
    return [
      { what: `${runs}: shell loop`, value: Math.min(...bare), unit: 's', reach: null },
      { what: `${runs}: vitest`, value: Math.min(...ours), unit: 's', reach: null },
      { what: `${runs}: makespan against the shell loop`, value: ratio, unit: 'x', reach: 1.1 },
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function writeProject() {
  write('package.json', '{"private": true, "type": "module"}')
  write(
    'vitest.config.mjs',
    `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals({ sandbox: 'prefer' })] }\n`,
  )
  for (const name of SKILLS) {
    write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Writes ${name}.\n---\n\nDo it well.\n`)
  }
  const queries = Array.from({ length: QUERIES }, (_, index) => {
    return { id: `q${index}`, query: `Question ${index}`, should_trigger: false }
  })
  write('skills/notes/evals/triggers.json', JSON.stringify(queries))
  for (const [index, { id }] of queries.entries()) write(`evals/scenarios/${id}.yaml`, scenario(index % 2 === 0))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(REPOSITORY, join(root, 'node_modules/vitest-agent-evals'), 'junction')
  symlinkSync(join(REPOSITORY, 'node_modules/vitest'), join(root, 'node_modules/vitest'), 'junction')
}

function scenario(usesSkill) {
  const use = usesSkill ? [{ tools: [{ name: 'Skill', input: { skill: 'letters' } }] }] : []
  return JSON.stringify({ turns: [...use, 'Done.'] })
}

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

async function runOurs() {
  const bin = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const script = `'${process.execPath}' '${bin}' run --project evals --reporter=dot`
  const env = {
    ...process.env,
    AGENT_EVALS_CONCURRENCY: String(CONCURRENCY),
    AGENT_EVALS_ENGINES: REPOSITORY,
    AGENT_EVALS_RUNS: String(RUNS),
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
async function runBare(round) {
  const gateway = await startGateway({ concurrency: QUERIES * RUNS, maxCostUsd: 0, environment: {} })
  const folder = join(root, `bare-${round}`)
  const leases = []
  try {
    for (let index = 0; index < QUERIES * RUNS; index += 1) leases.push(await prepareBare(gateway, round, index))
    const each = `mkdir -p {}/home {}/config {}/tmp {}/workspace/.claude/skills && cp -R ../skills/* {}/workspace/.claude/skills/ && sh {}/run.sh`
    const measured = await measure(`ls | xargs -P ${CONCURRENCY} -I {} sh -c '${each}'`, { cwd: folder })
    const ended = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'done')))
    if (ended.length !== leases.length) throw new Error(`The shell loop ended ${ended.length} runs.`)
    return measured
  } finally {
    await Promise.all(leases.map((lease) => lease.release()))
    await gateway.close()
  }
}

async function prepareBare(gateway, round, index) {
  const query = index % QUERIES
  const { scenario: answers } = await loadScenario(join(root, `evals/scenarios/q${query}.yaml`))
  const source = { kind: 'scenario', scenario: answers }
  const asked = { caseId: `bare ${index}`, engine: 'claude-code', wire: 'anthropic-messages', source }
  const lease = await acquireLease(gateway.controlSocket, asked, new AbortController().signal)
  const at = (path) => join(root, `bare-${round}`, String(index), path)
  const { arguments: words, env } = claudeCode.command({
    prompt: '',
    target: null,
    model: null,
    paths: { workspace: at('workspace'), home: at('home'), config: at('config'), tmp: at('tmp') },
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
  write(`bare-${round}/${index}/config/session-settings.json`, '{}')
  write(
    `bare-${round}/${index}/run.sh`,
    `cd '${at('workspace')}' && echo 'Question ${query}' | ${command} > '${at('out.jsonl')}' && touch '${at('done')}'\n`,
  )
  return lease
}
