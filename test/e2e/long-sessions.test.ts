// @module-tag claude-code
// @module-tag slow
import { existsSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { ALL_HOOKS } from '../support/conformance/package.ts'
import { claudeExecutable } from '../support/engines.ts'
import { verdicts } from '../support/eval-project.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import {
  agreeing,
  bash,
  createPackage,
  describeEvals,
  runEvals,
  type PackageRun,
  type WrittenCase,
} from '../support/package-run.ts'

const PROGRAM = claudeExecutable() ?? ''

// With the window of today's models a session would have to be very long. A path to the program itself would be followed.
const SMALL = `#!/bin/sh
export CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000
folder='${dirname(PROGRAM)}'
exec "$folder"/${basename(PROGRAM)} "$@"
`

interface Ended {
  readonly run: PackageRun
  /** What happened on the main thread and below it, in short. */
  readonly story: readonly string[]
  /** What its folder lists of requests that are no part of it. */
  readonly requests: unknown
}

async function runLive(
  answer: (request: ReceivedRequest, asked: string) => Turn,
  written: WrittenCase = { prompt: 'Print two numbers.' },
): Promise<Ended> {
  await using upstream = await startMessagesServer(
    (request) => agreeing(request, 'Done with both.') ?? answer(request, JSON.stringify(request.body.messages)),
  )
  // Where no folder above has the program.
  await using elsewhere = await createFixture({ 'small-claude': SMALL })
  const program = elsewhere.getPath('small-claude')
  await chmod(program, 0o755)
  await using project = await createPackage({
    options: JSON.stringify({ sandbox: 'none', engines: { 'claude-code': program } }),
    cases: { long: { ...written, expected: { contains: ['Done with both'] } } },
    files: ALL_HOOKS,
  })
  const run = await runEvals(project, {
    AGENT_EVALS_SOURCE: 'live',
    AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
    ANTHROPIC_BASE_URL: upstream.url,
    ANTHROPIC_API_KEY: 'sk-real-1234567890',
  })
  const folder = join(project.root, run.run('long').folder ?? '')
  const requests = existsSync(join(folder, 'requests.json'))
    ? (JSON.parse(await readFile(join(folder, 'requests.json'), 'utf8')) as unknown)
    : []
  const story = (await run.transcript('long')).flatMap((event) => {
    const { kind, agent, from } = event
    if (kind === 'message') return [`${agent ?? 'main'} says ${event.text} (${from})`]
    if (kind === 'tool-call') return [`${agent ?? 'main'} calls ${event.tool} (${from})`]
    return kind === 'tool-result' ? [`${agent ?? 'main'} gets ${event.text.split('\n')[0]} (${from})`] : []
  })
  return { run, story, requests }
}

const SUMMARY = 'The agent printed the first number, and has to print the second one.'

describeEvals('one record of a session', () => {
  test('goes on over a compaction that the CLI makes by itself, whose summary is no word of the agent', async () => {
    let compactions = 0
    const { run, story, requests } = await runLive((_, asked) => {
      if (asked.includes('CRITICAL: Respond with TEXT ONLY')) {
        compactions += 1
        return { text: `<summary>${SUMMARY}</summary>` }
      }
      if (asked.includes(SUMMARY)) return { text: 'Done with both.' }
      // So many tokens that the CLI makes room before it goes on; it keeps the last call as it is.
      const isSecond = asked.includes('number 1')
      return { tools: [bash(isSecond ? 'echo number $((1 + 1))' : 'echo number $((2 - 1))')], inputTokens: 150_000 }
    })
    expect(compactions, run.finished.all).toBe(1)
    expect(verdicts(run.report), run.finished.all).toEqual(['long PASS'])
    expect(story).toEqual([
      'main calls Bash (model)',
      'main gets number 1 (given to the model)',
      'main calls Bash (model)',
      'main gets number 2 (given to the model)',
      'main says Done with both. (model)',
    ])
    expect(run.case('long').notices.join('\n')).not.toContain('record')
    // What the CLI asked for itself is listed apart.
    expect(requests).toMatchObject([{ thread: 'side:compact', answer: expect.stringContaining(SUMMARY) as string }])
    expect(run.run('long')).toMatchObject({ status: 'completed', requests: 4 })
  })

  test('goes on over a compaction that the user asks for', async () => {
    const { run, story, requests } = await runLive(
      (_, asked) => {
        if (asked.includes('CRITICAL: Respond with TEXT ONLY')) return { text: `<summary>${SUMMARY}</summary>` }
        if (asked.includes(SUMMARY)) return { text: 'Done with both.' }
        return asked.includes('number 1') ? { text: 'That is one.' } : { tools: [bash('echo number $((2 - 1))')] }
      },
      { prompts: ['Print a number.', '/compact', 'Go on.'] },
    )
    expect(verdicts(run.report), run.finished.all).toEqual(['long PASS'])
    expect(story).toEqual([
      'main calls Bash (model)',
      'main gets number 1 (given to the model)',
      'main says That is one. (model)',
      'main says Done with both. (model)',
    ])
    expect(run.run('long').turns?.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed'])
    expect(run.case('long').notices.join('\n')).not.toContain('record')
    expect(requests).toMatchObject([{ thread: 'side:compact' }])
  })

  test('follows a sub-agent of a sub-agent, each on a thread of its own', async () => {
    const { run, story } = await runLive(({ isSubAgent }, asked) => {
      const ask = (prompt: string): Turn => ({
        tools: [{ name: 'Agent', input: { description: 'ask', prompt, subagent_type: 'general-purpose' } }],
      })
      if (!isSubAgent)
        return asked.includes('The outer one') ? { text: 'Done with both.' } : ask('OUTER: ask another one.')
      if (asked.includes('OUTER'))
        return asked.includes('The inner one') ? { text: 'The outer one is done.' } : ask('INNER: say it.')
      return { text: 'The inner one is done.' }
    })
    expect(verdicts(run.report), run.finished.all).toEqual(['long PASS'])
    expect(
      story.filter((line) => line.endsWith('(model)')).map((line) => line.replace(/^(?!main)\S+/, 'agent')),
    ).toEqual([
      'main calls Agent (model)',
      'agent calls Agent (model)',
      'agent says The inner one is done. (model)',
      'agent says The outer one is done. (model)',
      'main says Done with both. (model)',
    ])
    const agents = story.filter((line) => line.includes(' one is done. (model)')).map((line) => line.split(' ')[0])
    expect(new Set(agents).size).toBe(2)
  })
})
