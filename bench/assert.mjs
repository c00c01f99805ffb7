// Prints what a free test costs beyond its script: 500 cases against the same scripts started bare, two at a time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CASES = Number(process.env.CASES ?? 500)
const WORKERS = 2
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'assert-bench-'))
try {
  writePackage()
  const bare = await runScripts()
  const one = await runVitest(['00000'])
  const all = await runVitest([])
  console.log(`${CASES} cases, ${WORKERS} workers, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`)
  const wall = report('wall time', bare.wall, one.wall, all.wall)
  // The same whatever else the machine does: computing, shared by two cores.
  const computing = report('computing, on two cores', bare.cpu / 2, one.cpu / 2, all.cpu / 2)
  if (Math.min(wall, computing) > 25) process.exitCode = 1
} finally {
  rmSync(root, { recursive: true, force: true })
}

function writePackage() {
  write('package.json', '{"private": true, "type": "module"}')
  write('package.agent.json', '{"name": "bench", "version": "1.0.0"}')
  write('skills/bench/SKILL.md', '---\nname: bench\ndescription: Says hello.\n---\n')
  write('skills/bench/hello.sh', 'echo "hello $1"\n')
  write(
    'vitest.config.mjs',
    `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals()] }\n`,
  )
  for (let index = 0; index < CASES; index += 1) {
    const name = String(index).padStart(5, '0')
    const text = `name: c${name}\ninput:\n  command: sh hello.sh ${name}\nexpected:\n  stdout-contains: ["hello ${name}"]\n`
    write(`skills/bench/tests/cases/${name}.yaml`, text)
  }
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(REPOSITORY, join(root, 'node_modules/vitest-agent-evals'), 'junction')
  symlinkSync(join(REPOSITORY, 'node_modules/vitest'), join(root, 'node_modules/vitest'), 'junction')
}

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function report(what, bare, one, all) {
  const script = bare / CASES
  const perCase = (all - one) / (CASES - 1)
  console.log(`${what}: a script ${script.toFixed(1)} ms, a case ${perCase.toFixed(1)} ms`)
  console.log(`  added to each case: ${(perCase - script).toFixed(1)} ms (limit 25)`)
  return perCase - script
}

function runScripts() {
  const half = `i=0; while [ $i -lt ${CASES / 2} ]; do sh -c "sh hello.sh $i" >/dev/null; i=$((i+1)); done`
  return measure(`(${half}; times >&2) & ${half}; wait`, join(root, 'skills/bench'))
}

// The shell tells what its children have computed; Node cannot.
async function measure(script, cwd) {
  const startedAt = performance.now()
  const child = spawn('sh', ['-c', `${script}; code=$?; times >&2; exit $code`], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let said = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(output + said)
  const seconds = [...said.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
  return { wall: performance.now() - startedAt, cpu: seconds.reduce((sum, one) => sum + one, 0) * 1000 }
}

function runVitest(filters) {
  const bin = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const words = [process.execPath, bin, 'run', '--project', 'assert', '--reporter=dot', ...filters]
  return measure(words.map((word) => `'${word}'`).join(' '), root)
}
