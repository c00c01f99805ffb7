// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { ENGINES, variablesFor } from '../support/conformance/engines.ts'
import { readReports, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { describeEvals } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'

const HOOKS = { hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'true' }] }] } }

const PROJECT: FileTree = {
  '.claude-plugin/plugin.json': '{ "name": "p" }',
  'skills/one/SKILL.md': '---\nname: one\ndescription: Does it\n---\nGo.\n',
  'hooks/hooks.json': JSON.stringify(HOOKS),
}

const QUERIES = ['What is the capital of France? PASS', 'Rename the variable x to count in src/index.js PASS']

describeEvals('what init writes in a repository of another engine', () => {
  test.for([
    [
      'copilot',
      'a plugin',
      PROJECT,
      null,
      [
        'hook-pre-tool-use PASS',
        'skill-one PASS',
        'Do it, please PASS',
        'Do you have something for one? Please use it now PASS',
        ...QUERIES,
      ],
    ],
    [
      'codex',
      'a plugin that is one skill',
      {},
      'one-skill',
      [
        'skill-tidy-notes PASS',
        'Tidy notes, please PASS',
        'Do you have something for tidy notes? Please use it now PASS',
        ...QUERIES,
        'Tidy mail, please PASS',
        'Do you have something for tidy mail? Please use it now PASS',
        ...QUERIES,
      ],
    ],
  ] as const)('passes there: %s, %s', async ([name, , files, plugin, expected]) => {
    const engine = ENGINES.find((one) => one.name === name)
    const program = await engine?.program()
    if (engine === undefined || typeof program !== 'string') throw new Error(`${name} cannot be installed`)
    await using project = await createProject(repositoryVitest(), {
      'package.json': '{ "private": true, "type": "module" }\n',
      '.git/HEAD': '',
      'vitest.config.ts': `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals({ engine: '${name}' })] }\n`,
      ...files,
    })
    if (plugin !== null) await cp(join(REPOSITORY, 'test/fixtures/plugins', plugin), project.root, { recursive: true })
    const env = { AGENT_EVALS_SANDBOX: 'prefer', ...(await variablesFor(engine, program)) }

    const written = await project.agentEvals(['init'], { merged: true, env })
    expect(written.all).toContain(`Engine  ${name} `)
    const finished = await project.agentEvals(['run'], { merged: true, env })
    expect(finished.exitCode, finished.all).toBe(0)
    const [report] = await readReports(project)
    expect(report === undefined ? [] : verdicts(report)).toEqual(expected)
    const used = report?.cases.flatMap(({ target, runs }) =>
      target?.startsWith('skill:') === true ? runs.flatMap(({ skills_used: skills }) => skills) : [],
    )
    const skills = plugin === null ? ['one'] : ['tidy-notes', 'tidy-mail']
    expect(new Set(used)).toEqual(new Set(skills))
  })
})
