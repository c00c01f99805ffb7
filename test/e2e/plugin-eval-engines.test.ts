// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { ENGINES, type ConformingEngine } from '../support/conformance/engines.ts'
import { variablesOf } from '../support/conformance/matrix.ts'
import { config, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { withEdits } from '../support/recordings-project.ts'
import type { ReportCase } from '../../src/report/report.ts'
import type { WrittenTurn } from '../support/package-run.ts'

const OTHERS = ENGINES.filter(({ name }) => name !== 'claude-code')
const MEAN = { text: 'Go away, reader.', vote: 'fail' } as const
const POLITE = { text: 'Welcome, dear reader.', vote: 'pass' } as const

/** `greets` depends on the skill; `group/waves` does not use it. */
const FILES = {
  'package.json': '{ "private": true, "type": "module" }\n',
  '.claude-plugin/plugin.json': '{ "name": "greeter", "version": "1.0.0" }\n',
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nWelcome the reader in note.txt.\n',
  'evals/greets/prompt.md': '---\nruns: 1\n---\nGreet the reader.\n',
  'evals/greets/graders/says.md': '---\ntype: regex\ntarget: last_message\n---\n^Welcome\n',
  'evals/greets/graders/note.md': '---\ntype: file_exists\npath: note.txt\n---\n',
  'evals/greets/graders/polite.md': '---\ntype: llm\n---\nThe greeting is polite.\n',
  'evals/group/waves/prompt.md': '---\nruns: 1\n---\nWave at the reader.\n',
  'evals/group/waves/graders/waves.md': '---\ntype: regex\n---\nwaves\n',
  'evals/scenarios/group/waves.yaml': JSON.stringify({ turns: ['The agent waves.'] }),
  'evals/scenarios/group/waves.without_skill.yaml': JSON.stringify({ turns: ['The agent waves.'] }),
  ...Object.fromEntries(OTHERS.flatMap(scenariosOf)),
}

function scenariosOf(engine: ConformingEngine): readonly (readonly [string, string])[] {
  const note = { tools: [engine.shell('printf hello > note.txt')] }
  return [
    [`evals/scenarios/greets.${engine.name}.yaml`, scenario([{ tools: [engine.skill('greet')] }, note], POLITE)],
    [`evals/scenarios/greets.without_skill.${engine.name}.yaml`, scenario([], MEAN)],
  ]
}

// Three votes decide.
function scenario(turns: readonly WrittenTurn[], { text, vote }: typeof MEAN | typeof POLITE): string {
  const answer = [{ verdict: vote, reason: 'It is clear from the greeting.', quote: text }]
  return JSON.stringify({ turns: [...turns, text], judge: [answer, answer, answer] })
}

test('plugin evals run on other engines, replay there, and are stale after an edit of the skill', async () => {
  const engines = Object.fromEntries(await Promise.all(OTHERS.map(async (one) => [one.name, await one.program()])))
  const options = JSON.stringify({ sandbox: 'prefer', concurrency: 4, engines })
  const files = { ...FILES, 'vitest.config.ts': config(options) }
  await using project = await createProject(repositoryVitest(), files)
  const recorded = await runFrom(project, 'record')
  const all = onEach([
    'evals/greets PASS: note+ polite+ says+',
    'evals/greets without_skill FAIL: note- polite- says-',
    'evals/group/waves PASS: waves+',
    'evals/group/waves without_skill PASS: waves+',
  ])
  expect(recorded.lines, recorded.output).toEqual(all)
  expect((await glob('evals/recordings/**/*.json', { cwd: project.root })).toSorted()).toEqual(
    ['evals/recordings/evals/greets', 'evals/recordings/group/waves'].flatMap((folder) =>
      OTHERS.flatMap(({ name }) => [`${folder}/${name}.1.json`, `${folder}/${name}.without_skill.1.json`]),
    ),
  )

  // No answer is left but the recorded ones.
  await rm(join(project.root, 'evals/scenarios'), { recursive: true })
  const replayed = await runFrom(project, 'replay')
  expect(replayed.lines, replayed.output).toEqual(all)

  // The model never sees a grader, so an edited one grades the same recording.
  const edits = [
    { file: 'skills/greet/SKILL.md', from: 'Welcome', to: 'Ignore' },
    { file: 'evals/group/waves/prompt.md', from: 'Wave', to: 'Wink' },
    { file: 'evals/greets/graders/says.md', from: 'Welcome', to: 'Go away' },
  ]
  const edited = await withEdits(project, edits, () => runFrom(project, 'replay'))
  const skill = 'skills/greet/SKILL.md (body) has changed since the model saw it, so the recording is stale.'
  const prompt = 'evals/group/waves/prompt.md (prompt) has changed since the model saw it, so the recording is stale.'
  expect(edited.lines, edited.output).toEqual(
    onEach([
      `evals/greets ERROR stale: ${skill}`,
      'evals/greets without_skill FAIL: note- polite- says+',
      `evals/group/waves ERROR stale: ${prompt}`,
      `evals/group/waves without_skill ERROR stale: ${prompt}`,
    ]),
  )
})

interface Finished {
  /** One line a case: its engine, folder, arm and verdict, and what its graders found or what is stale. */
  readonly lines: readonly string[]
  readonly output: string
}

async function runFrom(project: TestProject, source: 'record' | 'replay'): Promise<Finished> {
  const earlier = (await readReports(project)).length
  const env = { ...(await variablesOf(OTHERS)), AGENT_EVALS_ENGINE: OTHERS.map(({ name }) => name).join() }
  const { all: output } = await project.run(['run', '--project', 'evals'], {
    merged: true,
    env: { ...env, AGENT_EVALS_SOURCE: source },
  })
  const cases = (await readReports(project)).slice(earlier).flatMap((report) => report.cases)
  return { lines: cases.map(lineOf).toSorted(), output }
}

function lineOf({ engine, file, arm, verdict, error, error_code: code, graded }: ReportCase): string {
  const words = [engine, dirname(file), arm, verdict, code].filter((word) => word !== null)
  const graders = graded?.graders.map(({ name, result }) => `${name}${result === 'PASS' ? '+' : '-'}`) ?? []
  const [first = ''] = (error ?? '').split('\n')
  const stale = code === 'stale' ? [first] : []
  return `${words.join(' ')}: ${[...graders.toSorted(), ...(code === null ? [] : stale)].join(' ')}`
}

function onEach(lines: readonly string[]): readonly string[] {
  return OTHERS.flatMap(({ name }) => lines.map((line) => `${name} ${line}`)).toSorted()
}
