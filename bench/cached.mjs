// What unchanged replayed cases take with the cache, against the same cases where it is empty.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG, createProject, fastest, startVitest, timeOf, vitestOf } from './shared/project.mjs'

// Of fewer, the start of Vitest is most of what is measured.
const CASES = Number(process.env.CASES ?? 1000)
const TIMES = Number(process.env.TIMES ?? 3)

export async function bench() {
  const vitest = await vitestOf(4)
  const project = createProject(filesOf(CASES), vitest)
  const args = ['run', '--project', 'evals', '--reporter=dot']
  try {
    await timeOf(
      startVitest(project, [...args, '-t', 'c0$'], {
        AGENT_EVALS_SOURCE: 'record',
        VITEST_AGENT_EVALS_RECORD_SCENARIOS: '1',
      }),
    )
    copyRecording(project.root)
    const replayed = { AGENT_EVALS_SOURCE: 'replay', AGENT_EVALS_CACHE: '1' }
    const without = await timeOf(startVitest(project, args, replayed))
    expectCached(project.root, 0)
    const all = await fastest(TIMES, () => timeOf(startVitest(project, args, replayed)))
    expectCached(project.root, CASES)
    const what = `${CASES.toLocaleString('en-US')} unchanged replayed cases`
    return [
      { what: `${what}, without the cache`, value: without / 1000, unit: 's', reach: null },
      { what: `${what}, with it`, value: all / 1000, unit: 's', reach: null },
      {
        what: `${what}, with the cache against without`,
        value: all / without,
        unit: 'x',
        reach: CASES < 1000 ? null : 0.02,
      },
    ]
  } finally {
    project.dispose()
  }
}

// One file for each: the layout that reads the most.
function filesOf(count) {
  const files = {
    'vitest.config.js': CONFIG(),
    'package.agent.json': '{"name": "b", "version": "1.0.0"}',
    'skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes notes.\n---\nWrite them.\n',
    'evals/fixtures/a.txt': 'a\n',
    'evals/scenarios/c0.yaml': JSON.stringify({
      turns: [{ tools: [{ name: 'Read', input: { file_path: '${WORKSPACE}/fixtures/a.txt' } }] }, 'The file says a.'],
      judge: [[{ verdict: 'pass', reason: 'It did.', quote: 'The file says a.' }]],
    }),
  }
  for (let index = 0; index < count; index += 1)
    files[`evals/cases/c${index}.yaml`] = JSON.stringify({
      name: `c${index}`,
      input: { prompt: 'Read fixtures/a.txt.', files: ['fixtures/a.txt'] },
      expected: { contains: ['says a'] },
      judge: { criteria: 'It reads.' },
    })
  return files
}

// Recording each of them would take longer than all that is measured.
function copyRecording(root) {
  const folder = join(root, 'evals/recordings/cases')
  for (let index = 1; index < CASES; index += 1) {
    mkdirSync(join(folder, `c${index}`), { recursive: true })
    for (const name of readdirSync(join(folder, 'c0'))) {
      const text = readFileSync(join(folder, 'c0', name), 'utf8')
      writeFileSync(join(folder, `c${index}`, name), text.replaceAll('c0', `c${index}`))
    }
  }
}

function expectCached(root, wanted) {
  const folder = join(root, 'evals/reports')
  const newest = readdirSync(folder).toSorted().at(-1)
  const { cases } = JSON.parse(readFileSync(join(folder, newest), 'utf8'))
  const cached = cases.filter((one) => one.cached).length
  const passed = cases.filter((one) => one.outcome === 'passed' && one.source === 'replay').length
  if (cached !== wanted || passed !== CASES)
    throw new Error(
      `${cached} of ${cases.length} cases were taken over and ${passed} passed, not ${wanted} and ${CASES}.`,
    )
}
