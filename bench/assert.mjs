// Prints what a free test costs beyond its script: 500 cases against the same scripts started bare, two at a time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CASES = Number(process.env.CASES ?? 500)
const WORKERS = 2
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'assert-bench-'))
try {
  writePackage()
  const bare = await measure(runScripts)
  const empty = await measure(() => runVitest(['00000']))
  const all = await measure(() => runVitest([]))
  const perScript = bare / CASES
  const perCase = (all - empty) / (CASES - 1)
  console.log(`${CASES} cases, ${WORKERS} workers, ${availableParallelism()} cores`)
  console.log(`  start of vitest with one case   ${empty.toFixed(0)} ms`)
  console.log(`  a script alone                  ${perScript.toFixed(1)} ms`)
  console.log(`  a case                          ${perCase.toFixed(1)} ms`)
  console.log(`  added to each case              ${(perCase - perScript).toFixed(1)} ms of wall time (limit 25)`)
  if (perCase - perScript > 25) process.exitCode = 1
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

async function measure(run) {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

async function runScripts() {
  let next = 0
  const worker = async () => {
    while (next < CASES) {
      const name = String(next++).padStart(5, '0')
      const options = { cwd: join(root, 'skills/bench'), stdio: ['ignore', 'pipe', 'pipe'] }
      const [code] = await once(spawn('sh', ['-c', `sh hello.sh ${name}`], options), 'close')
      if (code !== 0) throw new Error(`the script exited with ${code}`)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, worker))
}

async function runVitest(filters) {
  const bin = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const args = [bin, 'run', '--project', 'assert', '--reporter=dot', ...filters]
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, CI: '' }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(output)
}
