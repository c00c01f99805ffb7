// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { installedEngines, variablesOf } from '../support/conformance/matrix.ts'
import { config, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { scenarioFile } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'
import { SKILLS } from '../support/skill-project.ts'

const WORDS = 'No skill is needed here.'

test('a query whose model calls tools and then answers nothing is errored on every engine, and so is its replay', async () => {
  const engines = await installedEngines()
  const paths = Object.fromEntries(engines.map(({ name, path }) => [name, path]))
  const queries = ['dots', 'words']
  await using project = await createProject(repositoryVitest(), {
    ...SKILLS,
    'vitest.config.ts': config(JSON.stringify({ sandbox: 'prefer', engines: paths })),
    'skills/notes/evals/triggers.json': JSON.stringify(queries.map((id) => ({ id, query: id, should_trigger: false }))),
    ...Object.fromEntries(
      engines.flatMap((engine) =>
        queries.map((id) => [
          `evals/scenarios/${id}.${engine.name}.yaml`,
          scenarioFile([{ text: 'I look.', tools: [engine.shell('ls')] }, id === 'dots' ? '...' : WORDS]),
        ]),
      ),
    ),
  })
  const env = {
    AGENT_EVALS_ENGINE: engines.map(({ name }) => name).join(),
    AGENT_EVALS_RUNS: '1',
    ...(await variablesOf(engines)),
  }
  const run = async (source: string): Promise<Readonly<Record<string, string>>> => {
    const known = new Set((await readReports(project)).map(({ id }) => id))
    const finished = await project.run(['run', '--project', 'evals'], {
      merged: true,
      env: { ...env, AGENT_EVALS_SOURCE: source },
    })
    const cases = (await readReports(project)).filter(({ id }) => !known.has(id)).flatMap((report) => report.cases)
    expect(cases, finished.all).toHaveLength(queries.length * engines.length)
    return Object.fromEntries(
      cases.map(({ name, verdict, error }) => [name, error === null ? verdict : `${verdict} ${error}`]),
    )
  }
  const expected = (verdictOf: (id: string) => string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      engines.flatMap(({ name }) =>
        queries.map((id) => [engines.length === 1 ? id : `${id} (${name})`, verdictOf(id)] as const),
      ),
    )
  const empty = 'ERROR The run did not complete. Run 1: The last answer of the model was empty.'

  // A run with an empty answer is not recorded.
  expect(await run('record')).toEqual(expected((id) => (id === 'dots' ? `${empty} Run the case again.` : 'PASS')))
  const files = await glob('**/evals/recordings/**/*.json', { cwd: project.root })
  expect(files).toHaveLength(engines.length)
  for (const file of files) {
    const path = join(project.root, file)
    // Claude Code asks again after an answer without any text.
    const content = file.includes('claude-code') ? [{ kind: 'text', text: '...' }] : []
    await writeFile(path, withLastAnswer(await readFile(path, 'utf8'), content))
  }
  const replayed = expected(() => `${empty} Record the case again.`)
  expect(await run('replay')).toMatchObject(
    Object.fromEntries(Object.entries(replayed).filter(([name]) => name.startsWith('words'))),
  )
})

function withLastAnswer(text: string, content: object[]): string {
  const recording = JSON.parse(text) as { lanes: { lane: string; turns: { answer: { content: object[] } }[] }[] }
  const last = recording.lanes.find(({ lane }) => lane === 'main')?.turns.at(-1)
  if (last !== undefined) last.answer.content = content
  return JSON.stringify(recording)
}
