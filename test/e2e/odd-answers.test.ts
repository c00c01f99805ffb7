// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { describe, expect, test } from 'vitest'
import type { TranscriptEvent } from '../../src/transcript/transcript.ts'
import { ENGINES, type ConformingEngine } from '../support/conformance/engines.ts'
import { agreement, ANSWER, createLive, liveVariables } from '../support/conformance/live.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { ALL_HOOKS } from '../support/conformance/package.ts'
import { verdicts } from '../support/eval-project.ts'
import { startOddApi, type OddAnswer } from '../support/odd-api.ts'
import { runEvals, type WrittenTurn } from '../support/package-run.ts'

/** Answers by how many results of tools the conversation holds; the second ones are those of a retry. */
interface OddCase {
  readonly answers: readonly (readonly OddAnswer[])[]
  /** Those of its sub-agent. */
  readonly below?: readonly (readonly OddAnswer[])[]
  /** Events of the transcript, in short. */
  readonly story: readonly string[]
}

const DONE = { text: ANSWER }
const FULL = 1_000_000
const SUMMARY = 'The agent printed the number, and has to say that it is done.'
const COMPACTION = /CRITICAL: Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|The history is being compacted/
const BELOW = ['below calls model', 'below gets given to the model', `below says ${ANSWER} model`]
const STORY = ['calls model', 'gets given to the model', `says ${ANSWER} model`]

function casesOf({ name: engine, shell, delegate }: ConformingEngine): Readonly<Record<string, OddCase>> {
  const call = shell('echo one')
  // The API of Codex does not tell what a search has found.
  const searched = engine === 'codex' ? ['gets model'] : ['finds A page https://a.example/ model']
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
    'compacts-below': {
      answers: [...delegate('This is case-compacts-below-below.', []).map(answerOf), [{ blocks: [DONE] }]],
      below: [[{ blocks: [{ call }], inputTokens: FULL }], [{ blocks: [{ call }] }], [{ blocks: [DONE] }]],
      story: [
        ...(engine === 'codex' ? [...STORY.slice(0, 2), ...STORY.slice(0, 2), 'calls model'] : ['calls model']),
        // Copilot goes on a request later here, too.
        ...(engine === 'copilot' ? BELOW.slice(0, 2) : []),
        ...BELOW,
        ...STORY.slice(1),
      ],
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

function answerOf(turn: WrittenTurn): readonly OddAnswer[] {
  const tools = typeof turn === 'object' && 'tools' in turn ? turn.tools : []
  return [{ blocks: tools.map((call) => ({ call })) }]
}

function tell(event: TranscriptEvent): readonly string[] {
  const { kind, agent, from } = event
  const where = agent === null ? '' : 'below '
  if (kind === 'message') return [`${where}says ${event.text} ${from}`]
  if (kind === 'tool-call') return [`${where}${event.tool === 'web_search' ? 'searches' : 'calls'} ${from}`]
  if (kind !== 'tool-result') return []
  return [event.id.startsWith('srvtoolu') ? `finds ${event.text} ${from}` : `${where}gets ${from}`]
}

/** Each thread in its order: on Codex both run at once, and which of two requests comes first differs. */
function byThread(story: readonly string[]): readonly string[] {
  const isBelow = (line: string): boolean => line.startsWith('below ')
  return [...story.filter((line) => !isBelow(line)), ...story.filter(isBelow)]
}

describe('an honest answer of an API', () => {
  for (const conforming of ENGINES) {
    const { name } = conforming
    test(`is no error on ${name}, however odd`, { tags: [name as 'codex'] }, async ({ skip }) => {
      const engine = (await installedEngines()).find((one) => one.name === name)
      if (engine === undefined) return skip('its program is not installed')
      const cases = casesOf(conforming)
      const scripts = new Map(
        Object.entries(cases).flatMap(([one, { answers, below = [] }]) => [
          [one, answers],
          [`${one}-below`, below],
        ]),
      )
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
        const results = body.match(/"type":"(?:tool_result|\w*_output)"/g)?.length ?? 0
        const before = asked.get(`${of} ${results}`) ?? 0
        asked.set(`${of} ${results}`, before + 1)
        const answers = scripts.get(of)?.[results]
        const answer = answers?.[before] ?? answers?.at(-1) ?? { blocks: [{ text: 'A title.' }] }
        const id = /agent_id\W+([\w-]+)/.exec(body)?.[1] ?? ''
        return JSON.parse(JSON.stringify(answer).replace('${LAST_ID}', id)) as OddAnswer
      })
      const written = Object.keys(cases).map((one) => [
        one,
        { prompt: `This is case-${one}.`, expected: { contains: [ANSWER] } },
      ])
      await using project = await createLive(engine, Object.fromEntries(written), { timeout: 200 }, ALL_HOOKS)
      const run = await runEvals(project, await liveVariables(api, engine))
      expect(verdicts(run.report).toSorted(), run.finished.all).toEqual(
        Object.keys(cases)
          .map((one) => `${one} PASS`)
          .toSorted(),
      )
      expect(compactions).toBe(2)
      const stories: Record<string, readonly string[]> = {}
      for (const one of Object.keys(cases)) {
        expect(run.case(one).notices.join(), one).not.toContain("The engine's own record of the session")
        stories[one] = byThread((await run.transcript(one)).flatMap(tell))
      }
      expect(stories).toEqual(
        Object.fromEntries(Object.entries(cases).map(([one, { story }]) => [one, byThread(story)])),
      )
    })
  }
})
