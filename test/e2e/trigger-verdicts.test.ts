// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { call, calls, startScriptedModel, words } from '../support/scripted-model.ts'
import { runEvals, skill, SKILLS } from '../support/skill-project.ts'
import type { Script, ScriptedModel } from '../support/scripted-model.ts'
import type { Report, ReportCase } from '../../src/report/report.ts'

const use = (name: string, id = 'use'): object => call(id, 'Skill', { skill: name })
const useWith = (args: unknown): object => call('use', 'Skill', { skill: 'notes', args })
const bash = (command: string, id = 'bash'): object => call(id, 'Bash', { command, description: 'look' })
const read = (name: string): object => call('read', 'Read', { file_path: `/workspace/.claude/skills/${name}/SKILL.md` })
const agent = { description: 'help', prompt: 'Use the skill notes.', subagent_type: 'general-purpose' }
const thinking = { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmF0dXJl' }
const ends = (...content: readonly object[]): ReturnType<Script> => ({ content, stop: 'end_turn' })
const overloaded = { status: 529, type: 'overloaded_error', message: 'Overloaded' } as const

/** Answers one after the other; the last one stays. */
const turns =
  (...answers: readonly ReturnType<Script>[]): Script =>
  (turn) =>
    answers[Math.min(turn, answers.length - 1)] ?? words('done')
/** Fails until it is asked again. */
const onceFails =
  (failure: ReturnType<Script>, script: Script): Script =>
  (turn, attempt) =>
    turn === 0 && attempt === 0 ? failure : script(turn, attempt)

const done = words('done')
/** What a model does, and what a full session makes of it. */
const BEHAVIOURS: Readonly<Record<string, readonly [Script, Verdict]>> = {
  'calls the skill at once': [turns(calls(use('notes')), done), 'fired'],
  'says something and calls the skill': [turns(calls({ type: 'text', text: 'I will.' }, use('notes')), done), 'fired'],
  'thinks and calls the skill': [turns(calls(thinking, use('notes')), done), 'fired'],
  'calls the skill after a look around': [turns(calls(bash('ls')), calls(use('notes')), done), 'fired'],
  'looks around and ends': [turns(calls(bash('ls')), done), 'not fired'],
  'reads SKILL.md': [turns(calls(read('notes')), done), 'fired'],
  'prints SKILL.md': [turns(calls(bash('cat .claude/skills/notes/SKILL.md')), done), 'not fired'],
  'thinks and looks around': [turns(calls(thinking, bash('ls')), done), 'not fired'],
  'calls the sibling': [turns(calls(use('letters')), done), 'not fired'],
  'calls the sibling and then the skill': [turns(calls(use('letters')), calls(use('notes', 'second')), done), 'fired'],
  'calls two skills with the skill second': [turns(calls(use('letters', 'a'), use('notes', 'b')), done), 'fired'],
  'calls the skill and a tool': [turns(calls(use('notes', 'a'), bash('ls', 'b')), done), 'fired'],
  'calls a tool and the skill': [turns(calls(bash('ls', 'a'), use('notes', 'b')), done), 'fired'],
  'asks a sub-agent': [turns(calls(call('agent', 'Agent', agent)), done), 'fired'],
  'calls a skill that is not there': [turns(calls(use('nothing')), done), 'not fired'],
  'calls the skill with a slash': [turns(calls(use('/notes')), done), 'fired'],
  'calls the skill in capitals': [turns(calls(use('Notes')), done), 'not fired'],
  'calls the skill with a text': [turns(calls(useWith('now')), done), 'fired'],
  'calls the skill with a number': [turns(calls(useWith(42)), done), 'not fired'],
  'calls an unknown tool': [turns(calls(call('x', 'Unknown', { a: 1 })), done), 'not fired'],
  'calls the skill in a way that cannot be read': [turns({ unreadable: 'Skill' }, done), 'not fired'],
  'ends its turn': [turns(words('Here is the answer.')), 'not fired'],
  'thinks and ends its turn': [turns(ends(thinking, { type: 'text', text: 'No.' })), 'not fired'],
  'only thinks': [turns(ends(thinking)), 'no-output'],
  'only thinks and ends when asked again': [turns(ends(thinking), done), 'not fired'],
  'only thinks and calls the skill when asked again': [turns(ends(thinking), calls(use('notes')), done), 'fired'],
  'says nothing': [turns(ends()), 'no-output'],
  'says three dots': [turns(words('...')), 'no-output'],
  'looks around and says nothing': [turns(calls(bash('ls')), ends()), 'no-output'],
  'looks around and says three dots': [turns(calls(bash('ls')), words('...')), 'no-output'],
  'says something, looks around and only thinks': [
    turns(calls({ type: 'text', text: 'I look.' }, bash('ls')), ends(thinking)),
    'no-output',
  ],
  'calls the skill, says nothing': [turns(calls(use('notes')), ends()), 'fired'],
  'says white space and calls the skill when asked again': [turns(words(' \n'), calls(use('notes')), done), 'fired'],
  'is cut off by its limit': [
    turns({ content: [{ type: 'text', text: 'I would' }], stop: 'max_tokens' }, done),
    'not fired',
  ],
  'pauses its turn': [turns({ content: [{ type: 'text', text: 'Wait.' }], stop: 'pause_turn' }, done), 'not fired'],
  refuses: [turns({ content: [{ type: 'text', text: 'I cannot.' }], stop: 'refusal' }), 'model-refused'],
  'stops at a sequence': [turns({ content: [{ type: 'text', text: 'Well' }], stop: 'stop_sequence' }), 'not fired'],
  'is overloaded once and calls the skill': [onceFails(overloaded, turns(calls(use('notes')), done)), 'fired'],
  'breaks off once and ends its turn': [onceFails({ cut: true }, turns(done)), 'not fired'],
  'is forbidden': [turns({ status: 403, type: 'permission_error', message: 'no' }), 'upstream-failed'],
  'never answers': [turns({ hangs: true }), 'upstream-failed'],
  '#remembers something and ends its turn': [turns(done), 'not fired'],
  'mentions @nothing and ends its turn': [turns(done), 'not fired'],
}

// The call fails: a command in the instructions does.
const FAILING: typeof BEHAVIOURS = {
  'calls a skill whose call fails': [turns(calls(use('failing')), done), 'not fired'],
}

// Only a package has hooks, so these are asked by tests in TypeScript.
const HOOKED: typeof BEHAVIOURS = {
  'is sent on by a stop hook to the skill': [turns(done, calls(use('notes')), done), 'fired'],
  'is sent on by a stop hook and ends its turn': [turns(done), 'not fired'],
  'calls the skill before the stop hook': [turns(calls(use('notes')), done), 'fired'],
}
const ALL = { ...BEHAVIOURS, ...FAILING, ...HOOKED }

const STOP = "grep -Eq '\"stop_hook_active\": *true' || { echo 'Go on.' >&2; exit 2; }"
const hookedFile = (names: readonly string[]): string => `import { expect, test } from 'vitest-agent-evals/test'

for (const name of ${JSON.stringify(names)})
  test(name, async ({ agent }) => {
    const trigger = await agent.trigger(name, { skill: 'notes', runs: 1 })
    expect(trigger).toHaveFired()
  })
`

test('a verdict by the first turn is that of a full session', async () => {
  const plain = (names: readonly string[]): Readonly<Record<string, string>> => ({
    ...SKILLS,
    'skills/notes/evals/triggers.json': queries(names.filter((name) => name in BEHAVIOURS)),
    'skills/failing/SKILL.md': skill('failing', 'Fails.', 'See !`exit 3` first.'),
    'skills/failing/evals/triggers.json': queries(names.filter((name) => name in FAILING)),
  })
  const hooked = (names: readonly string[]): Readonly<Record<string, string>> => ({
    ...SKILLS,
    'package.agent.json': '{ "name": "behaviours", "version": "1.0.0" }',
    'hooks/hooks.json': JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: STOP }] }] } }),
    'evals/hooked.eval.ts': hookedFile(names),
  })
  const run = async (files: Readonly<Record<string, string>>, triggers: string): Promise<Played> => {
    await using model = await startScriptedModel({ scriptOf, latency: { begins: 200, ends: 250 } })
    await using project = await createProject(repositoryVitest(), files)
    const { report, all } = await runEvals(project, [], {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-api03-scripted',
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_TRIGGERS: triggers,
      AGENT_EVALS_TIMEOUT: '40',
      AGENT_EVALS_CONCURRENCY: '4',
      AGENT_EVALS_RUNS: '1',
      // What many requests may cost at most is more than the default.
      AGENT_EVALS_MAX_COST_USD: '1000',
    })
    return { report, bodies: model.bodies, all }
  }
  const {
    report: probed,
    bodies,
    all,
  } = await run(plain([...Object.keys(BEHAVIOURS), ...Object.keys(FAILING)]), 'auto')
  const { report: hookedProbed } = await run(hooked(Object.keys(HOOKED)), 'auto')
  // What the first turn did not decide was a full session already.
  const shortened = namesByProbe(probed)
  const { report: full } = await run(plain(shortened), 'full')
  const { report: hookedFull } = await run(hooked(namesByProbe(hookedProbed)), 'full')
  const rows = Object.keys(ALL).map((name) => {
    const [of, auto] = name in HOOKED ? [hookedFull, hookedProbed] : [full, probed]
    const decided = auto.cases.find((one) => one.name === name)?.runs[0]
    const { decided_by: by, decided_because: because } = decided ?? {}
    return {
      name,
      full: by === 'probe' ? verdictOf(of, name) : verdictOf(auto, name),
      auto: verdictOf(auto, name),
      by: by ?? '',
      because: because ?? '',
    }
  })
  // The table is what a reader of the log wants to see.
  console.log(
    rows
      .map(
        (row) =>
          `${row.full === row.auto ? ' ' : '!'} ${row.full.padEnd(24)} ${row.by.padEnd(10)} ${row.name}${row.because === '' ? '' : ` (${row.because})`}`,
      )
      .join('\n'),
  )
  const expected = Object.entries(ALL).map(([name, [, verdict]]) => [name, verdict])
  expect(
    rows.map(({ name, full: of }) => [name, of]),
    all,
  ).toEqual(expected)
  expect(
    rows.map(({ name, auto }) => [name, auto]),
    all,
  ).toEqual(expected)
  const stopped = 'the package has a hook of stop'
  expect(rows.filter(({ name }) => name in HOOKED).map(({ by, because }) => [by, because])).toEqual([
    ['probe+full', stopped],
    ['probe+full', stopped],
    ['probe', ''],
  ])
  // What is signed has to come back as it was.
  const thought = bodies.filter((body) => body.includes('thinks and looks around') && body.includes('"tool_result"'))
  expect(thought.map((body) => body.includes(JSON.stringify(thinking)))).toEqual([true])
  const page = await readFile(join(REPOSITORY, 'docs/skill-evals-reference.md'), 'utf8')
  expect(page).toContain(`\n${rows.length} scripted behaviours get the same verdict`)
  expect(rows.filter(({ by }) => by === 'probe').length).toBeGreaterThanOrEqual(6)
  const [before, after] = [spentBy(full, shortened), spentBy(probed, shortened)]
  expect(after.requests).toBeLessThanOrEqual(before.requests)
  expect(after.uncachedTokens).toBeLessThanOrEqual(before.uncachedTokens)
  expect(after.costUsd).toBeLessThanOrEqual(before.costUsd)
})

interface Played {
  readonly report: Report
  /** Requests that the model got. */
  readonly bodies: ScriptedModel['bodies']
  readonly all: string
}

/** The queries that the first turn of the model decided. */
function namesByProbe({ cases }: Report): readonly string[] {
  return cases.filter(({ runs }) => runs[0]?.decided_by === 'probe').map(({ name }) => name)
}

interface Spent {
  readonly requests: number
  readonly uncachedTokens: number
  readonly costUsd: number
}

function spentBy({ cases }: Report, names: readonly string[]): Spent {
  const chosen = cases.filter(({ name }) => names.includes(name))
  const sum = (of: (one: ReportCase) => number | null | undefined): number =>
    chosen.reduce((total, one) => total + (of(one) ?? 0), 0)
  return {
    requests: sum(({ runs }) => runs[0]?.requests),
    uncachedTokens: sum(({ usage }) => usage && usage.input_tokens + usage.cache_write_tokens),
    costUsd: sum((one) => one.cost_usd),
  }
}

function queries(names: readonly string[]): string {
  return JSON.stringify(
    names.map((query) => ({ query, should_trigger: true })),
    null,
    1,
  )
}

function scriptOf(prompts: readonly string[]): Script {
  // A sub-agent is only asked to use the skill.
  if (prompts.includes(agent.prompt)) return turns(calls(use('notes', 'helper')), done)
  const found = Object.entries(ALL).find(([name]) => prompts.includes(name))
  if (found === undefined) throw new Error(`No behaviour is asked for by ${JSON.stringify(prompts)}.`)
  return found[1][0]
}

type Verdict = string

function verdictOf({ cases }: Report, name: string): Verdict {
  const { trigger, error_code: code } = cases.find((one) => one.name === name) ?? {}
  if (trigger == null) return 'missing'
  return trigger.completed === 0 ? (code ?? 'errored') : trigger.fired === 1 ? 'fired' : 'not fired'
}
