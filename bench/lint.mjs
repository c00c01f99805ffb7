// `lint` and `list` of a plugin of 150 skills with 8 evals each, beside a bare Node that finds, reads and parses the same files.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { besidePeers, createProject, fastest, measurePeers, start, timeOf, vitestOf } from './shared/project.mjs'

const SKILLS = 150
const CASES = 8
const TIMES = Number(process.env.TIMES ?? 5)

export async function bench() {
  const project = createProject(files(), await vitestOf(4))
  try {
    for (const words of [
      ['init', '-q'],
      ['add', 'skills', '.claude-plugin'],
    ])
      execFileSync('git', words, { cwd: project.root })
    const main = join(project.root, 'node_modules/vitest-agent-evals/dist/cli/main.js')
    const ours = (command) => run(project.root, [main, command])
    const peers = await measurePeers([['bare Node', () => run(project.root, ['--input-type=module', '-e', BARE])]])
    const figures = []
    for (const [command, reach] of [
      ['lint', 2],
      ['list', 2],
    ]) {
      const what = `${command} of ${SKILLS} suites with ${SKILLS * CASES} cases`
      figures.push(...besidePeers({ what, value: await ours(command), unit: 's', reach }, peers))
    }
    return figures
  } finally {
    project.dispose()
  }
}

async function run(cwd, args) {
  return (await fastest(TIMES, () => timeOf(start(process.execPath, args, cwd)))) / 1000
}

const BARE = `
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
for (const entry of readdirSync('skills', { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const text = readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'utf8')
  if (entry.name.endsWith('.json')) JSON.parse(text)
}`

function files() {
  const all = { '.claude-plugin/plugin.json': '{ "name": "many", "version": "1.0.0", "description": "Many skills." }' }
  for (let index = 0; index < SKILLS; index += 1) {
    const name = `skill-${index}`
    const evals = Array.from({ length: CASES }, (_, number) => ({
      id: number + 1,
      prompt: `Do the work of ${name} with ${number}.`,
      expected_output: 'The work is done.',
      files: number === 0 ? ['evals/files/data.csv'] : [],
      expectations: ['The output names the work.', 'It has a chart.'],
    }))
    all[`skills/${name}/SKILL.md`] = `---\nname: ${name}\ndescription: Does the work of ${name}.\n---\n${TEXT}`
    all[`skills/${name}/references/guide.md`] = TEXT
    all[`skills/${name}/evals/evals.json`] = JSON.stringify({ skill_name: name, evals }, null, 2)
    all[`skills/${name}/evals/files/data.csv`] = 'a,b\n1,2\n'
  }
  return all
}

const TEXT = `# Work\n\n${'Read the file, then write what it says.\n'.repeat(75)}`
