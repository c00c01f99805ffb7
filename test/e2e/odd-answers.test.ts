// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { describe, expect, test } from 'vitest'
import type { TranscriptEvent } from '../../src/transcript/transcript.ts'
import { ENGINES } from '../support/conformance/engines.ts'
import { agreement, ANSWER, createLive, liveVariables } from '../support/conformance/live.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { verdicts } from '../support/eval-project.ts'
import { startOddApi, type OddAnswer } from '../support/odd-api.ts'
import { runEvals, type WrittenTool } from '../support/package-run.ts'

/** Answers by how many results of tools the conversation holds; the second ones are those of a retry. */
interface OddCase {
  readonly answers: readonly (readonly OddAnswer[])[]
  /** Events of the transcript, in short. */
  readonly story: readonly string[]
}

const DONE = { text: ANSWER }
const FULL = 1_000_000
const SUMMARY = 'The agent printed the number, and has to say that it is done.'
const COMPACTION = /CRITICAL: Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|The history is being compacted/
const STORY = ['calls model', 'gets given to the model', `says ${ANSWER} model`]

function casesOf(call: WrittenTool, engine: string): Readonly<Record<string, OddCase>> {
  // The API of Codex tells only the CLI's stream that a search has ended.
  const searched = engine === 'codex' ? ['gets cli'] : ['finds A page https://a.example/ model']
  return {
    'breaks-in-a-call': {
      answers: [[{ blocks: [{ call }], breaks: true }, { blocks: [{ call }] }], [{ blocks: [DONE] }]],
      story: STORY,
    },
    'breaks-in-words': {
      answers: [[{ blocks: [{ call }] }], [{ blocks: [{ text: 'All' }], breaks: true }, { blocks: [DONE] }]],
      story: STORY,
    },
    // So many tokens that the CLI makes room before it goes on.
    compacts: {
      answers: [[{ blocks: [{ call }], inputTokens: FULL }], [{ blocks: [{ call }] }], [{ blocks: [DONE] }]],
      // Copilot asks for the summary beside its session, which goes on with it a request later.
      story: engine === 'copilot' ? [...STORY.slice(0, 2), ...STORY] : STORY,
    },
    'one-id': {
      answers: [
        [{ id: 'msg_same', blocks: [{ text: 'I look.' }, { call }] }],
        [{ id: 'msg_same', blocks: [{ text: 'I look.' }, { call }] }],
        [{ id: 'msg_same', blocks: [DONE] }],
      ],
      story: ['says I look. model', ...STORY.slice(0, 2), 'says I look. model', ...STORY],
    },
    searches: {
      answers: [[{ blocks: [{ search: 'a page' }, { call }] }], [{ blocks: [DONE] }]],
      story: ['searches model', ...searched, ...STORY],
    },
    thinks: {
      answers: [[{ blocks: [{ thinking: 'Hm.' }, { text: '' }, { call }] }], [{ blocks: [{ thinking: 'So.' }, DONE] }]],
      story: STORY,
    },
  }
}

function tell(event: TranscriptEvent): readonly string[] {
  if (event.kind === 'message') return [`says ${event.text} ${event.from}`]
  if (event.kind === 'tool-call') return [`${event.tool === 'web_search' ? 'searches' : 'calls'} ${event.from}`]
  if (event.kind !== 'tool-result') return []
  return [event.id.startsWith('srvtoolu') ? `finds ${event.text} ${event.from}` : `gets ${event.from}`]
}

describe('an honest answer of an API', () => {
  for (const { name, shell } of ENGINES)
    test(`is no error on ${name}, however odd`, { tags: [name as 'codex'] }, async ({ skip }) => {
      const engine = (await installedEngines()).find((one) => one.name === name)
      if (engine === undefined) return skip('its program is not installed')
      const cases = casesOf(shell('echo one'), name)
      const asked = new Map<string, number>()
      let compactions = 0
      await using api = await startOddApi((body) => {
        const agrees = agreement({ body })
        if (agrees !== null) return { blocks: [agrees] }
        if (body.includes(SUMMARY)) return { blocks: [DONE] }
        if (COMPACTION.test(body)) {
          compactions += 1
          return { blocks: [{ text: `<summary>${SUMMARY}</summary>` }] }
        }
        const [, of = ''] = /This is case-([a-z0-9-]+)\./.exec(body) ?? []
        const results = body.match(/"type":"(?:tool_result|\w*_call_output)"/g)?.length ?? 0
        const before = asked.get(`${of} ${results}`) ?? 0
        asked.set(`${of} ${results}`, before + 1)
        const answers = cases[of]?.answers[results]
        return answers?.[before] ?? answers?.at(-1) ?? { blocks: [{ text: 'A title.' }] }
      })
      const written = Object.keys(cases).map((one) => [
        one,
        { prompt: `This is case-${one}.`, expected: { contains: [ANSWER] } },
      ])
      await using project = await createLive(engine, Object.fromEntries(written), { timeout: 200 })
      const run = await runEvals(project, await liveVariables(api, engine))
      expect(verdicts(run.report), run.finished.all).toEqual(Object.keys(cases).map((one) => `${one} PASS`))
      expect(compactions).toBe(1)
      for (const [one, { story }] of Object.entries(cases)) {
        expect(run.case(one).notices.join(), one).not.toContain("The engine's own record of the session")
        expect([one, (await run.transcript(one)).flatMap(tell)]).toEqual([one, story])
      }
    })
})
