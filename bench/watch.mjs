// How soon a saved SKILL.md starts its first case in a watching Vitest.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG, createProject, startVitest, vitestOf } from './shared/project.mjs'

const ROUNDS = 5
const SKILL = (body) => `---\nname: s\ndescription: S.\n---\n${body}\n`

export async function bench() {
  const figures = []
  for (const major of [4, 5]) {
    const vitest = await vitestOf(major)
    const value = await fromSaveToStart(vitest)
    figures.push({ what: `save SKILL.md -> first case starts, ${vitest.label}`, value, unit: 's', reach: 0.5 })
  }
  return figures
}

async function fromSaveToStart(vitest) {
  const project = createProject(
    {
      'vitest.config.js': CONFIG(),
      'clock.js':
        'export default class { onTestCaseReady() { console.log(`\\nSTARTED ${Date.now()}`) } onTestRunEnd() { console.log("\\nENDED") } }\n',
      'skills/s/SKILL.md': SKILL('One.'),
      'skills/s/evals/triggers.json': JSON.stringify([{ query: 'one', should_trigger: true }]),
    },
    vitest,
  )
  const watching = startVitest(project, ['--watch', '--project', 'evals', '--reporter=./clock.js'])
  try {
    let best = Number.POSITIVE_INFINITY
    await until(() => count(watching, 'ENDED') === 1, watching)
    for (let round = 1; round <= ROUNDS; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      const savedAt = Date.now()
      writeFileSync(join(project.root, 'skills/s/SKILL.md'), SKILL(`Round ${round}.`))
      await until(() => count(watching, 'ENDED') === round + 1, watching)
      const started = [...watching.output().matchAll(/STARTED (\d+)/g)].map(([, at]) => Number(at))
      best = Math.min(best, started.find((at) => at >= savedAt) - savedAt)
    }
    return best / 1000
  } finally {
    watching.stop()
    await watching.ended
    project.dispose()
  }
}

function count(watching, word) {
  return watching.output().split(`\n${word}`).length - 1
}

async function until(isTrue, watching) {
  const deadline = Date.now() + 60_000
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(watching.output().slice(-2000))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
