// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { expect, test } from 'vitest'
import { DIRECT_PACKAGE, greetings, PACKAGE } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { collectTexts } from '../../scripts/messages.mjs'

/** Every command of this package and of Vitest that a text of src names, with `…` for what is filled in. */
function commandsInTexts(): readonly string[] {
  const found = collectTexts('src').flatMap(({ text }) => [
    ...text.matchAll(/npx vitest(?:-agent-evals(?: [a-z]+)?)?(?: …(?= --))?(?: --?[a-z-]+(?: (?:…|trigger))?)*/g),
  ])
  return [...new Set(found.map(([command]) => command))].toSorted()
}

// npm makes a program executable when it installs it; the project of a test links to the build.
const NPX = 'npx() { local name=$1; shift; node "node_modules/.bin/$name" "$@"; }'

/** Runs a command as a person does: in a shell, in the folder of the project. */
async function paste({ root, home }: TestProject, command: string): Promise<FinishedProcess> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    NO_COLOR: '1',
    AGENT_EVALS_SANDBOX: 'prefer',
    VITEST_MAX_WORKERS: '1',
  }
  return startProcess('bash', ['-c', `${NPX}\n${command}`], { cwd: root, env }).finished
}

test('each command that a message names is one that the program takes', async () => {
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    ...greetings({ good: 'Hello, World' }),
    'skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes notes.\n---\n',
  })
  const ended: string[] = []
  for (const command of commandsInTexts()) {
    const { exitCode, all } = await paste(
      project,
      command.replace('--project …', '--project evals').replace('…', 'clerk'),
    )
    expect(all, command).not.toMatch(/unknown (?:command|option)|Unknown option|CACError/)
    ended.push(`${exitCode} ${command}`)
  }
  expect(ended).toMatchInlineSnapshot(`
    [
      "0 npx vitest",
      "0 npx vitest --help",
      "0 npx vitest --project …",
      "0 npx vitest-agent-evals",
      "0 npx vitest-agent-evals --help",
      "2 npx vitest-agent-evals audit … --agree",
      "2 npx vitest-agent-evals gate",
      "0 npx vitest-agent-evals init",
      "0 npx vitest-agent-evals init --all",
      "0 npx vitest-agent-evals lint",
      "0 npx vitest-agent-evals lint --prune",
      "0 npx vitest-agent-evals list",
      "2 npx vitest-agent-evals merge",
      "2 npx vitest-agent-evals rejudge",
      "0 npx vitest-agent-evals run",
      "0 npx vitest-agent-evals run --mode trigger",
      "0 npx vitest-agent-evals triggers",
      "0 npx vitest-agent-evals view",
    ]
  `)
})

test('the commands that a run prints run as printed, each with its one case', async () => {
  const odd = "it's $HOME (1) & ü"
  await using project = await createProject(repositoryVitest(), {
    ...DIRECT_PACKAGE,
    ...greetings({ bad: 'Goodbye' }),
    [`evals/cases/${odd}.yaml`]: `name: odd\ninput:\n  prompt: Say hello.\njudge:\n  criteria: It greets.\n`,
  })
  const first = await project.agentEvals(['run', '--source', 'replay'], {
    merged: true,
    env: { AGENT_EVALS_SANDBOX: 'prefer' },
  })
  const commands = [...new Set([...first.all.matchAll(/(?:[A-Z_]+=\S+ )*npx vitest.*$/gm)].map(([command]) => command))]
  expect(commands).toMatchInlineSnapshot(`
    [
      "npx vitest-agent-evals run evals/cases/bad.yaml:1",
      "npx vitest-agent-evals run --record evals/cases/ -t "^odd$"",
      "npx vitest-agent-evals view",
    ]
  `)
  for (const command of commands) {
    const { all } = await paste(project, command)
    if (command.endsWith(' view')) expect(all, command).toContain('report.html')
    else expect(all, command).toMatch(/Agent Evals {2}1 (?:failed|errored|skipped) \(1\)/)
  }
})
