// @module-tag no-engine
// @module-tag slow
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { CLERK, golden } from '../support/agent-fixture.ts'
import { config, greeting, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { skill } from '../support/skill-project.ts'
import type { Report } from '../../src/report/report.ts'

const major = repositoryVitest()

const GRADER = '---\ntype: regex\n---\nHello\n'
const PROMPT = '---\nruns: 1\n---\nGreet.\n'
const plugin = (name: string): Readonly<Record<string, string>> => ({
  [`${name}/.claude-plugin/plugin.json`]: `{ "name": "${name}", "version": "1.0.0" }\n`,
  [`${name}/skills/${name}-greet/SKILL.md`]: skill(`${name}-greet`, 'Greets.'),
})

/** One file of each format, what it says, and where it is moved to. */
const CASES: Readonly<Record<string, readonly [text: string, moved: string]>> = {
  'evals/cases/a.yaml': [greeting('a'), 'evals/cases/z.yaml'],
  'skills/one/evals/evals.json': [
    JSON.stringify([{ id: 'e', prompt: 'Do e.', expectations: ['Done.'] }]),
    'skills/three/evals/evals.json',
  ],
  'skills/two/evals/triggers.json': [
    JSON.stringify([{ id: 'q', query: 'Ask.', should_trigger: true }]),
    'skills/three/evals/triggers.json',
  ],
  'lone/evals/case/graders/g.md': [GRADER, 'lone/evals/case/graders/h.md'],
  'pair/evals/first/prompt.md': [PROMPT, 'pair/evals/third/prompt.md'],
  'clerk/evals/golden/happy/001.md': [golden('001'), 'clerk/evals/golden/happy/002.md'],
}

const PACKAGES = ['.', 'lone', 'pair', 'clerk']
const INVALID: Readonly<Record<string, string>> = { yaml: 'name: [\n', json: '{"evals": [', md: '---\nname: [\n---\n' }

const FILES: Readonly<Record<string, string>> = {
  'vitest.config.ts': config("{ sandbox: 'prefer' }"),
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'skills/one/SKILL.md': skill('one', 'One.'),
  'skills/two/SKILL.md': skill('two', 'Two.'),
  'skills/three/SKILL.md': skill('three', 'Three.'),
  ...plugin('lone'),
  'lone/evals/case/prompt.md': PROMPT,
  ...plugin('pair'),
  'pair/evals/first/graders/g.md': GRADER,
  'pair/evals/second/prompt.md': PROMPT,
  'pair/evals/second/graders/g.md': GRADER,
  'pair/evals/third/graders/g.md': GRADER,
  ...(CLERK as Readonly<Record<string, string>>),
  ...Object.fromEntries(Object.entries(CASES).map(([path, [text]]) => [path, text])),
}

/** Cases without the arm of plugin evals, and what is wrong with them; no model is there for the others. */
function rows(reports: readonly Report[]): readonly string[] {
  return reports
    .flatMap(({ cases }) => cases)
    .filter(({ arm }) => arm === null)
    .map(({ file, verdict, error }) => [`${file} ${verdict}`, ...(verdict === 'ERROR' ? [error] : [])].join('\n'))
    .toSorted()
}

describe('case files while watching', { tags: ['no-engine'] }, () => {
  test('are seen as a new run sees them, whatever happens to them', async () => {
    await using project = await createProject(major, FILES)
    const watching = project.start(['--watch', '--project', 'evals'])
    await watching.waitFor(/for file changes/)
    const watched = async (): Promise<readonly string[]> =>
      rows((await Promise.all(PACKAGES.map((name) => readReports(project, `${name}/evals/reports`)))).flat())
    let count = 0
    const runOnce = async (): Promise<readonly string[]> => {
      const folder = `runs-${(count += 1)}`
      const env = { AGENT_EVALS_REPORT: join(project.home, folder, 'report.json') }
      await project.run(['run', '--project', 'evals'], { env })
      return rows(await readReports({ ...project, root: project.home }, folder))
    }
    const all = await runOnce()
    expect(all).toHaveLength(7)

    const change = async (how: (path: string, text: string, moved: string) => Promise<void>): Promise<void> => {
      for (const [path, [text, moved]] of Object.entries(CASES)) await how(path, text, moved)
    }
    const agree = async (expected: readonly string[]): Promise<void> => {
      await expect.poll(watched, { timeout: 120_000 }).toEqual(expected)
      expect(await runOnce()).toEqual(expected)
      const shown = watching.output()
      for (const line of expected.flatMap((row) => row.split('\n').slice(1))) expect(shown).toContain(line)
    }

    const without = (...files: readonly string[]): readonly string[] =>
      all.filter((row) => files.every((file) => !row.startsWith(file)))
    const broken = (errors: Readonly<Record<string, readonly string[]>>): readonly string[] =>
      [
        ...without(...Object.keys(errors)),
        ...Object.entries(errors).map(([file, lines]) => [`${file} ERROR`, ...lines].join('\n')),
      ].toSorted()

    await change((path) => project.files.writeFile(path, ''))
    const noGrader = 'lone/evals/case/prompt.md:1:1 graders: missing; expected a list'
    await agree(
      broken({
        'evals/cases/a.yaml': ['evals/cases/a.yaml:1:1 no case in the file: it is empty or contains only comments'],
        'lone/evals/case/prompt.md': [
          'lone/evals/case/graders/g.md:1:1 has no front matter, so it is no grader and has no effect',
          noGrader,
        ],
        'pair/evals/first/prompt.md': [
          'pair/evals/first/prompt.md:1:1 execution.prompt: missing; write the prompt below the front matter of prompt.md',
        ],
        'skills/one/evals/evals.json': [
          'skills/one/evals/evals.json:1:1 no eval in the file: it is empty or contains only comments',
        ],
        'skills/two/evals/triggers.json': [
          'skills/two/evals/triggers.json:1:1 no eval in the file: it is empty or contains only comments',
        ],
      }),
    )
    await change((path) => project.files.writeFile(path, INVALID[path.split('.').at(-1) ?? ''] ?? ''))
    const open = 'the list above is not closed here; end it with ], or indent this line'
    await agree(
      broken({
        'evals/cases/a.yaml': [`evals/cases/a.yaml:2:1 ${open}`],
        'lone/evals/case/prompt.md': [`lone/evals/case/graders/g.md:3:1 ${open}`],
        'pair/evals/first/prompt.md': [`pair/evals/first/prompt.md:3:1 ${open}`],
        'skills/one/evals/evals.json': ['skills/one/evals/evals.json:1:12 expected "," or "]" in this list'],
        'skills/two/evals/triggers.json': ['skills/two/evals/triggers.json:1:12 expected "," or "]" in this list'],
      }),
    )
    await change((path) => rm(join(project.root, path)))
    const others = Object.keys(CASES).filter((path) => !path.startsWith('lone/'))
    const lone = 'lone/evals/case/prompt.md'
    await agree([`${lone} ERROR\n${noGrader}`, ...without(lone, ...others)])
    await change((path, text) => project.files.writeFile(path, text))
    await agree(all)
    await change(async (path, _text, moved) => {
      await mkdir(dirname(join(project.root, moved)), { recursive: true })
      await rename(join(project.root, path), join(project.root, moved))
    })
    await agree(
      all
        .map((row) => Object.entries(CASES).reduce((text, [path, [, moved]]) => text.replace(path, moved), row))
        .toSorted(),
    )
    watching.send('SIGINT')
    expect((await watching.finished).all).not.toContain('Unhandled')
  })

  // Vitest tells of a pass, and begins it, while the one before it still begins or runs.
  test('are reported also by passes that begin while another one does', async () => {
    const names = ['a', 'b', 'c']
    const reporters = "reporters: ['default', { onTestRunStart: () => new Promise((go) => setTimeout(go, 1500)) }]"
    await using project = await createProject(major, {
      'vitest.config.ts': config("{ sandbox: 'prefer' }", `test: { ${reporters} }`),
      'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
      ...Object.fromEntries(names.map((name) => [`evals/cases/${name}.yaml`, greeting(name)])),
    })
    const watching = project.start(['--watch', '--project', 'evals'])
    await watching.waitFor(/for file changes/)
    for (const name of names) {
      await project.files.writeFile(`evals/cases/${name}.yaml`, greeting(`${name}-anew`))
      await setTimeout(400)
    }
    const watched = async (): Promise<readonly string[]> =>
      (await readReports(project)).flatMap(({ cases }) => cases.map(({ name }) => name)).toSorted()
    await expect.poll(watched, { timeout: 60_000 }).toEqual(['a-anew', 'b-anew', 'c-anew'])
    watching.send('SIGINT')
    await watching.finished
  })
})
