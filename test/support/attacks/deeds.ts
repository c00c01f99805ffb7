import type { ConformingEngine } from '../conformance/engines.ts'
import { scenarioFile, type WrittenTurn } from '../package-run.ts'
import type { RawAnswer } from '../raw-upstream.ts'
import { aamPackage, type Files } from '../red-cases/aam.ts'
import { skill } from '../skill-project.ts'
import { runScript } from './script.ts'
import type { Deed } from './attack.ts'

/** Runs commands, one a turn, and says the words. */
export function runs(
  commands: readonly string[],
  words = 'I am done.',
  expected: object = { contains: ['done'] },
): Deed {
  return {
    folder: 'session',
    files: (name, engine) => aamPackage(engine.name, { [name]: { expected, turns: turnsOf(engine, commands, words) } }),
  }
}

/** Runs commands under a hook that blocks each command with the word `forbidden`; passes if the hook has blocked one. */
export function underHook(commands: (registration: string) => readonly string[]): Deed {
  return {
    folder: 'hooked',
    files: (name, engine) => {
      const registration = `\${WORKSPACE}/${REGISTRATIONS[engine.name]}`
      const turns = turnsOf(engine, commands(registration))
      return aamPackage(engine.name, { [name]: { target: 'hook:pre-tool-use', expected: BLOCKED, turns } }, GUARD)
    },
  }
}

/** Where an engine looks for the hooks of a project. */
const REGISTRATIONS: Readonly<Record<string, string>> = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  copilot: '.github/hooks/package.json',
}
const BLOCKED = { 'agent-blocked': true }
const GUARD: Files = {
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: { 'pre-tool-use': [{ hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] }] },
  }),
  'hooks/guard.sh': 'case "$(cat)" in *forbidden*) echo "by policy" >&2; exit 2 ;; esac\n',
}

/** Runs commands that must leave no file of this name. */
export function leavesNo(pattern: string, ...commands: readonly string[]): Deed {
  return {
    folder: 'plugin',
    files: (name, engine) => ({
      '.claude-plugin/plugin.json': '{ "name": "plug", "version": "1.0.0" }\n',
      [`evals/${name}/prompt.md`]: `---\nruns: 1\nallowed_tools: [Bash]\n---\nDo ${name}.\n`,
      [`evals/${name}/graders/only.md`]: `---\ntype: file_exists\npath: "${pattern}"\nexists: false\n---\n`,
      [`evals/scenarios/${name}.yaml`]: scenarioFile(turnsOf(engine, commands)),
    }),
  }
}

/** Runs a command on a fixture that must stay as it is. */
export function onFixture(command: string): Deed {
  return {
    folder: 'read-only',
    files: (name, engine) => ({
      'package.agent.json': '{ "name": "fixtures", "version": "1.0.0" }\n',
      [`skills/${name}/SKILL.md`]: skill(name, 'Writes notes.', 'Write notes.'),
      [`skills/${name}/evals/evals.json`]: JSON.stringify({
        skill_name: name,
        evals: [{ id: name, prompt: `Do ${name}.`, files: ['data.csv'], expectations: ['It did it.'] }],
      }),
      [`skills/${name}/evals/data.csv`]: 'a,b\n',
      [`evals/scenarios/${name}.yaml`]: scenarioFile(turnsOf(engine, [command])),
    }),
  }
}

/** Runs a script in Node that speaks to the gateway, before an API on a bare socket. */
export function asksGateway(script: string, answer?: Deed['answer']): Deed {
  return live((name, engine) => runScript(script, name, engine.name), answer)
}

/** Runs a harmless command before an API that answers as it should, or in this way. */
export function isAnswered(answer?: () => RawAnswer): Deed {
  return live(() => 'echo fine', answer)
}

function live(command: NonNullable<Deed['command']>, answer: Deed['answer']): Deed {
  return { folder: LIVE, files: () => LIVE_PACKAGE, command, ...(answer === undefined ? {} : { answer }) }
}

/** Folder of the cases whose model is asked. They are tests of one file, which are under way at once. */
export const LIVE = 'live'
const LIVE_PACKAGE: Files = { 'package.agent.json': '{ "name": "live", "version": "1.0.0" }\n' }

function turnsOf(engine: ConformingEngine, commands: readonly string[], words = 'I am done.'): readonly WrittenTurn[] {
  return [...commands.map((command) => ({ tools: [engine.waitFor(command)] })), words]
}
