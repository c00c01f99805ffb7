// Collecting 10,000 cases in 500 files: `vitest list` on both majors.
import { CONFIG, createProject, fastest, startVitest, timeOf, vitestOf } from './shared/project.mjs'

const FILES = 500
const CASES = 20
const TIMES = Number(process.env.TIMES ?? 2)

export async function bench() {
  const figures = []
  for (const [major, reach] of [
    [5, 3],
    [4, 8],
  ]) {
    const vitest = await vitestOf(major)
    const project = createProject(files(), vitest)
    try {
      const list = () => timeOf(startVitest(project, ['list', '--project', 'evals']))
      const value = (await fastest(TIMES, list)) / 1000
      figures.push({
        what: `collecting ${FILES * CASES} cases in ${FILES} files, ${vitest.label}`,
        value,
        unit: 's',
        reach,
      })
    } finally {
      project.dispose()
    }
  }
  return figures
}

function files() {
  const all = { 'vitest.config.js': CONFIG() }
  for (let file = 0; file < FILES; file += 1) {
    const evals = Array.from({ length: CASES }, (_, index) => ({
      id: `e${file}-${index}`,
      prompt: `Do ${file} ${index}.`,
      expectations: ['It does.'],
    }))
    all[`skills/s${file}/SKILL.md`] = `---\nname: s${file}\ndescription: S.\n---\n`
    all[`skills/s${file}/evals/evals.json`] = JSON.stringify({ skill_name: `s${file}`, evals }, null, 1)
  }
  return all
}
