// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { call, calls, startScriptedModel, words } from '../support/scripted-model.ts'
import { runEvals, skill, SKILLS } from '../support/skill-project.ts'
import type { Script, ScriptedModel } from '../support/scripted-model.ts'
import type { Report } from '../../src/report/report.ts'

const use = (name: string, id = 'use'): object => call(id, 'Skill', { skill: name })
const bash = (command: string, id = 'bash'): object => call(id, 'Bash', { command, description: 'look' })
const read = (name: string): object => call('read', 'Read', { file_path: `/workspace/.claude/skills/${name}/SKILL.md` })
const agent = { description: 'help', prompt: 'Use the skill notes.', subagent_type: 'general-purpose' }
const thinking = { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmF0dXJl' }
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
const BEHAVIOURS: Readonly<Record<string, Script>> = {
  'calls the skill at once': turns(calls(use('notes')), done),
  'says something and calls the skill': turns(calls({ type: 'text', text: 'I will.' }, use('notes')), done),
  'thinks and calls the skill': turns(calls(thinking, use('notes')), done),
  'calls the skill after a look around': turns(calls(bash('ls')), calls(use('notes')), done),
  'looks around and ends': turns(calls(bash('ls')), done),
  'reads SKILL.md': turns(calls(read('notes')), done),
  'prints SKILL.md': turns(calls(bash('cat .claude/skills/notes/SKILL.md')), done),
  'calls the sibling': turns(calls(use('letters')), done),
  'calls the sibling and then the skill': turns(calls(use('letters')), calls(use('notes', 'second')), done),
  'calls two skills with the skill second': turns(calls(use('letters', 'a'), use('notes', 'b')), done),
  'calls the skill and a tool': turns(calls(use('notes', 'a'), bash('ls', 'b')), done),
  'calls a tool and the skill': turns(calls(bash('ls', 'a'), use('notes', 'b')), done),
  'asks a sub-agent': (turn) => (turn === 0 ? calls(call('agent', 'Agent', agent)) : done),
  'calls a skill that is not there': turns(calls(use('nothing')), done),
  'calls the skill with a slash': turns(calls(use('/notes')), done),
  'calls the skill in capitals': turns(calls(use('Notes')), done),
  'calls an unknown tool': turns(calls(call('x', 'Unknown', { a: 1 })), done),
  'calls the skill in a way that cannot be read': (turn) => (turn === 0 ? { unreadable: 'Skill' } : done),
  'ends its turn': turns(words('Here is the answer.')),
  'thinks and ends its turn': turns({ content: [thinking, { type: 'text', text: 'No.' }], stop: 'end_turn' }),
  'only thinks': turns({ content: [thinking], stop: 'end_turn' }, done),
  'says nothing': turns({ content: [], stop: 'end_turn' }),
  'says white space': turns(words(' \n')),
  'is cut off by its limit': turns({ content: [{ type: 'text', text: 'I would' }], stop: 'max_tokens' }, done),
  'pauses its turn': turns({ content: [{ type: 'text', text: 'Wait.' }], stop: 'pause_turn' }, done),
  refuses: turns({ content: [{ type: 'text', text: 'I cannot.' }], stop: 'refusal' }),
  'stops at a sequence': turns({ content: [{ type: 'text', text: 'Well' }], stop: 'stop_sequence' }),
  'is overloaded once and calls the skill': onceFails(overloaded, turns(calls(use('notes')), done)),
  'breaks off once and ends its turn': onceFails({ cut: true }, turns(done)),
  'is forbidden': turns({ status: 403, type: 'permission_error', message: 'no' }),
  'never answers': turns({ hangs: true }),
  '#remembers something and ends its turn': turns(done),
  'mentions @nothing and ends its turn': turns(done),
}

const HOOK = {
  hooks: {
    Stop: [
      {
        hooks: [
          { type: 'command', command: 'test -e /tmp/stopped || { touch /tmp/stopped; echo go on >&2; exit 2; }' },
        ],
      },
    ],
  },
}
const FURTHER: Readonly<Record<string, Script>> = {
  'is sent on by a stop hook to the skill': (turn) => (turn === 1 ? calls(use('hooked')) : done),
  'calls a skill whose call fails': turns(calls(use('failing')), done),
}

test('a verdict by the first turn is that of a full session', { timeout: 540_000 }, async () => {
  const files = {
    ...SKILLS,
    'skills/notes/evals/triggers.json': queries(Object.keys(BEHAVIOURS)),
    'skills/hooked/SKILL.md': skill('hooked', 'Has a hook beside it.'),
    'skills/hooked/evals/triggers.json': queries(Object.keys(FURTHER).slice(0, 1)),
    'skills/hooked/evals/setup/.claude/settings.json': JSON.stringify(HOOK),
    'skills/failing/SKILL.md': skill('failing', 'Fails.', 'See !`exit 3` first.'),
    'skills/failing/evals/triggers.json': queries(Object.keys(FURTHER).slice(1)),
  }
  const run = async (triggers: string): Promise<readonly [Report, ScriptedModel['counts'], string]> => {
    await using model = await startScriptedModel({ scriptOf })
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
    return [report, { ...model.counts }, all]
  }
  const [full, ofFull] = await run('full')
  const [probed, ofProbed, all] = await run('auto')
  const rows = [...Object.keys(BEHAVIOURS), ...Object.keys(FURTHER)].map((name) => {
    const [left, right] = [verdictOf(full, name), verdictOf(probed, name)]
    const decided = probed.cases.find((one) => one.name === name)?.runs[0]
    const { decided_by: by, decided_because: because } = decided ?? {}
    return { name, full: left, auto: right, by: by ?? '', because: because ?? '' }
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
  console.log(JSON.stringify({ ofFull, ofProbed }))
  expect(
    rows.map(({ name, auto }) => [name, auto]),
    all,
  ).toEqual(rows.map(({ name, full: of }) => [name, of]))
  expect(rows.length).toBeGreaterThanOrEqual(24)
  expect(rows.filter(({ by }) => by === 'probe').length).toBeGreaterThanOrEqual(6)
  // A session that is ended at its hit may have sent its next request by then, in either mode.
  const underWay = rows.filter(({ by, auto }) => by === 'probe+full' && auto === 'fired').length
  expect(ofProbed.answers).toBeLessThanOrEqual(ofFull.answers + underWay)
  const perAnswer = ofFull.uncachedTokens / ofFull.answers
  expect(ofProbed.uncachedTokens).toBeLessThanOrEqual(ofFull.uncachedTokens + underWay * perAnswer)
})

function queries(names: readonly string[]): string {
  return JSON.stringify(
    names.map((query) => ({ query, should_trigger: true })),
    null,
    1,
  )
}

function scriptOf(prompts: readonly string[]): Script {
  const name = prompts.find((prompt) => prompt in BEHAVIOURS || prompt in FURTHER) ?? ''
  // A sub-agent is only ever told to use the skill.
  return BEHAVIOURS[name] ?? FURTHER[name] ?? turns(calls(use('notes', 'helper')), done)
}

function verdictOf({ cases }: Report, name: string): string {
  const { trigger, error_code: code } = cases.find((one) => one.name === name) ?? {}
  if (trigger == null) return 'missing'
  return trigger.completed === 0 ? (code ?? 'errored') : trigger.fired === 1 ? 'fired' : 'not fired'
}
