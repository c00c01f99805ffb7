// How well waiting overlaps: 40 cases that each wait 250 ms, in one file and in 40, against plain Vitest.
import { CONFIG, createProject, fastest, startVitest, timeOf, vitestOf } from './shared/project.mjs'

const CASES = 40
const TIMES = Number(process.env.TIMES ?? 3)

export async function bench() {
  const vitest = await vitestOf(4)
  const figures = []
  for (const files of [1, CASES]) {
    const plain = await fastest(TIMES, () => run(vitest, files, 'vitest', 'test.js', []))
    const value = await fastest(TIMES, () =>
      run(vitest, files, 'vitest-agent-evals/test', 'eval.js', ['--project', 'evals']),
    )
    const what = `${CASES} cases that wait 250 ms, in ${files === 1 ? '1 file' : `${files} files`}`
    figures.push({ what: `${what}: plain Vitest`, value: plain, unit: 'ms', reach: null })
    figures.push({ what, value, unit: 'ms', reach: null })
    figures.push({ what: `${what}: ours against plain Vitest`, value: value / plain, unit: 'x', reach: 1.2 })
  }
  return figures
}

async function run(vitest, files, from, extension, args) {
  const perFile = CASES / files
  const text = (file) =>
    [
      `import { test } from '${from}'`,
      ...Array.from(
        { length: perFile },
        (_, index) => `test.concurrent('c${file}-${index}', () => new Promise((done) => setTimeout(done, 250)))`,
      ),
    ].join('\n')
  const evals = Object.fromEntries(
    Array.from({ length: files }, (_, file) => [`evals/f${file}.${extension}`, text(file)]),
  )
  const settings = '{ test: { pool: "threads", isolate: false, maxWorkers: 8, maxConcurrency: 40 } }'
  const config = from === 'vitest' ? `export default ${settings}\n` : CONFIG("{ sandbox: 'none' }")
  const project = createProject({ 'vitest.config.js': config, ...evals }, vitest)
  try {
    return await timeOf(startVitest(project, ['run', '--reporter=dot', ...args]))
  } finally {
    project.dispose()
  }
}
