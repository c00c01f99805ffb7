// @module-tag claude-code
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONFIG, greetings, PACKAGE, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'

test('an error of a package is said once, however many cases it has', async () => {
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'package.agent.json': '{ "name": "sample", "version": 1 }\n',
    ...greetings({ one: 'Hello', two: 'Hello', three: 'Hello' }),
  })
  const { all, exitCode } = await project.agentEvals(['run'], { merged: true })
  expect(exitCode).toBe(2)
  expect(all.split('version: expected a string, got a number').length - 1, all).toBe(1)
  for (const name of ['one', 'two', 'three']) expect(all).toMatch(new RegExp(`FAIL .* > ${name}\\n`))
  expect(all).toContain('Agent Evals  3 errored (3)')
})

test(
  'one edit of a skill is one block with its stale cases and the command that records them',
  { tags: ['slow'] },
  async () => {
    const skill = (body: string): string => `---\nname: greet\ndescription: Greets people.\n---\n\n${body}\n`
    const names = ['one']
    const written = ['two']
    await using project = await createProject(repositoryVitest(), {
      'vitest.config.ts': CONFIG,
      'skills/greet/SKILL.md': skill('Say hello.'),
      'skills/greet/evals/evals.json': JSON.stringify(
        names.map((id) => ({ id, prompt: `Greet ${id}.`, expectations: [{ contains: 'Hello' }] })),
        null,
        1,
      ),
      'evals/greet.eval.ts': [
        "import { expect, test } from 'vitest-agent-evals/test'",
        ...written.map(
          (name) =>
            `test('${name}', async ({ agent }) => {\n  expect(await agent.run('Greet ${name}.')).toContainOutput('Hello')\n})`,
        ),
      ].join('\n'),
      ...Object.fromEntries(
        [...names, ...written].map((name) => [
          `evals/scenarios/${name}.yaml`,
          JSON.stringify({ turns: [{ tools: [{ name: 'Skill', input: { skill: 'greet' } }] }, 'Hello'] }),
        ]),
      ),
    })
    await project.agentEvals(['run', '--record'])
    await rm(join(project.root, 'evals/scenarios'), { recursive: true })
    await project.files.writeFile('skills/greet/SKILL.md', skill('Say hello, twice.'))
    const { all, exitCode } = await project.agentEvals(['run'], { merged: true })
    expect(exitCode).toBe(2)
    const edit = 'stale: skills/greet/SKILL.md (body) has changed since the model saw it, so the recording is stale.'
    expect(all.split(edit).length - 1, all).toBe(1)
    // Tests in TypeScript too.
    expect(all).toMatch(
      /Outdated {2}2 stale: (?:one, two|two, one)\n +run and record them live:\n +npx vitest-agent-evals run --record /,
    )
    expect(all).not.toMatch(/run again:|Record it again/)
    const { cases } = (await readReports(project)).at(-1) ?? { cases: [] }
    expect(cases.map(({ error }) => error?.replace(/ has changed.*/s, ''))).toEqual(
      Array.from({ length: 2 }, () => 'skills/greet/SKILL.md (body)'),
    )
  },
)
