// What a free test costs beyond its script: 500 cases against the same scripts started bare, two at a time.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measure } from './shared/shell.mjs'

const CASES = Number(process.env.CASES ?? 500)
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

let root = ''

/** The wall time says little on a machine that has other work, so what is to be reached is the computing. */
export async function bench() {
  root = mkdtempSync(join(tmpdir(), 'assert-bench-'))
  try {
    writePackage()
    const bare = await runScripts()
    const one = await runVitest(['00000'])
    const all = await runVitest([])
    return [
      ...compare('wall time', null, bare.wall, one.wall, all.wall),
      ...compare('computing, on two cores', 25, bare.cpu / 2, one.cpu / 2, all.cpu / 2),
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
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

function compare(what, reach, bare, one, all) {
  const script = bare / CASES
  const perCase = (all - one) / (CASES - 1)
  return [
    { what: `a script, ${what}`, value: script, unit: 'ms', reach: null },
    { what: `added to each free test, ${what}`, value: perCase - script, unit: 'ms', reach },
  ]
}

function runScripts() {
  const half = `i=0; while [ $i -lt ${CASES / 2} ]; do sh -c "sh hello.sh $i" >/dev/null; i=$((i+1)); done`
  return measure(`(${half}; times >&2) & ${half}; wait`, { cwd: join(root, 'skills/bench') })
}

function runVitest(filters) {
  const bin = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const words = [process.execPath, bin, 'run', '--project', 'assert', '--reporter=dot', ...filters]
  return measure(words.map((word) => `'${word}'`).join(' '), { cwd: root })
}
