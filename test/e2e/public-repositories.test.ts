// @module-tag claude-code
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { countTo } from '../../src/lib/lists.ts'
import { config } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import type { FileTree } from 'fs-fixture'

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name} things, and nothing else\n---\nDo it.\n`
const plugin = (name: string): string => `{ "name": "${name}", "version": "1.0.0" }\n`
const plugins = countTo(30).map((number) => `plugin-${number}`)

const HOOKS = JSON.stringify({
  hooks: {
    PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'node "${CLAUDE_PLUGIN_ROOT}/check.mjs"' }] }],
  },
})
const EVALS = JSON.stringify({
  skill_name: 'sums',
  evals: countTo(300).map((id) => ({ id, prompt: `Add ${id} and 1.`, expectations: [`The sum is ${id + 1}.`] })),
})

const repositories: readonly (readonly [name: string, files: FileTree, init: readonly string[], ends: RegExp])[] = [
  [
    'a plugin with hooks',
    {
      '.claude-plugin/plugin.json': plugin('guard'),
      'skills/plan/SKILL.md': skill('plan'),
      'hooks/hooks.json': HOOKS,
      'check.mjs': 'process.exit(0)\n',
    },
    [],
    /Agent Evals {2}\d+ passed \(\d+\)/,
  ],
  [
    'a marketplace of 30 plugins',
    {
      '.claude-plugin/marketplace.json': JSON.stringify({
        name: 'many',
        owner: { name: 'me' },
        plugins: plugins.map((name) => ({ name, source: `./plugins/${name}` })),
      }),
      ...Object.fromEntries(
        plugins.flatMap((name) => [
          [`plugins/${name}/.claude-plugin/plugin.json`, plugin(name)],
          [`plugins/${name}/skills/do-${name}/SKILL.md`, skill(`do-${name}`)],
        ]),
      ),
    },
    ['--skill', 'do-plugin-3', '--skill', 'do-plugin-7'],
    /Report {2}plugin-3: \d+ passed[^]+Report {2}plugin-7: \d+ passed/,
  ],
  [
    'a repository that ignores its evals',
    { '.gitignore': 'node_modules/\nevals/\n', 'skills/plan/SKILL.md': skill('plan') },
    [],
    /Agent Evals {2}\d+ passed \(\d+\)/,
  ],
  [
    'a TypeScript project with coverage',
    {
      'vitest.config.ts': config(
        "{ sandbox: 'prefer' }",
        'test: { coverage: { enabled: true, thresholds: { lines: 100 }, include: ["src/**"] } }',
      ),
      'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b\n',
      'src/sum.test.ts':
        "import { expect, test } from 'vitest'\nimport { sum } from './sum.ts'\ntest('sum', () => expect(sum(1, 1)).toBe(2))\n",
      'skills/plan/SKILL.md': skill('plan'),
    },
    [],
    /Agent Evals {2}\d+ passed \(\d+\)/,
  ],
  [
    'a folder of skills with 300 evals',
    { 'skills/sums/SKILL.md': skill('sums'), 'skills/sums/evals/evals.json': EVALS },
    [],
    /300 without a recording or scenario.+\n +run and record them live:\n +npx vitest-agent-evals run --source auto$/m,
  ],
]

test.for(repositories)(
  '%s is begun, linted, listed and run',
  { timeout: 600_000 },
  async ([name, files, init, ends]) => {
    await using project = await createProject(repositoryVitest(), files)
    execFileSync('git', ['init', '--quiet'], { cwd: project.root })
    const begun = await project.agentEvals(['init', ...init], { merged: true })
    expect(begun.exitCode, begun.all).toBe(0)
    const lint = await project.agentEvals(['lint'], { merged: true })
    expect(lint.exitCode, lint.all).toBe(0)
    if (name.includes('ignores')) expect(lint.all).toMatch(/\.gitignore:2:1 +warning +.+Add the line/)
    else expect(lint.all, lint.all).toMatch(/^✓ nothing wrong/m)
    const list = await project.agentEvals(['list'], { merged: true })
    expect(list.exitCode, list.all).toBe(0)
    const run = await runOf(project)
    expect(run.all).toMatch(ends)
    expect(run.exitCode, run.all).toBe(0)
  },
)

function runOf(project: TestProject): ReturnType<TestProject['agentEvals']> {
  return project.agentEvals(['run'], { merged: true, env: { AGENT_EVALS_SANDBOX: 'prefer' } })
}
