import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  compareStart,
  fillTemplate,
  makeTemplate,
  templateName,
  useTemplate,
  type TemplateMaking,
  type TemplateTools,
} from '../../../../src/session/first-turn/template.ts'
import { firstTurn } from '../../../../src/engines/claude-code/first-turn.ts'
import type { AgentRequest } from '../../../../src/session/agent-request.ts'

const LISTING = 'The following skills are available for use with the Skill tool:\n- notes: Writes notes.\n'
const NOON = new Date(2026, 0, 15, 12)
const NEXT_DAY = new Date(2026, 0, 16, 0, 0, 1)

function making(prompt: string, others: readonly string[], hookGroups: readonly object[] = []): TemplateMaking {
  const evalCase = { prompt, files: [], workspaceFiles: [], target: null }
  const request = { evalCase, package: { hookGroups }, source: { kind: 'scenario' }, model: null }
  return { request: request as unknown as AgentRequest, rules: firstTurn, scope: { key: 'scope', others } }
}

/** Sessions whose first request says what `more` says; each has an id of its own. */
function sessions(more: (prompt: string, index: number) => string = () => ''): {
  readonly asked: string[]
  readonly capture: TemplateTools['capture']
} {
  const asked: string[] = []
  return {
    asked,
    capture: (_request, prompt) => {
      const session = randomUUID()
      const messages = [
        { role: 'user', content: [{ type: 'text', text: prompt }] },
        { role: 'system', content: [{ type: 'text', text: `${LISTING}${more(prompt, asked.length)}` }] },
      ]
      const body = JSON.stringify({ messages, metadata: { user_id: `device-${'0'.repeat(36)}-${session}` } })
      asked.push(prompt)
      return Promise.resolve({
        request: { path: '/v1/messages', headers: { 'x-session': session }, body, thread: 'main' },
        leaseRequest: { caseId: '', engine: 'claude-code', wire: 'anthropic-messages', source: { kind: 'live' } },
        over: Promise.resolve(),
        hooks: Promise.resolve([]),
      })
    },
  }
}

const now = (): Date => NOON

test('is made from the starts of two queries, the second one another each time', async () => {
  const seconds = new Set<string>()
  for (let round = 0; round < 40; round += 1) {
    const { asked, capture } = sessions()
    const made = await makeTemplate(making('one', ['one', 'two', 'three', '/command']), { capture, now })
    expect(made).toMatchObject({ prompt: 'one', offered: ['notes'] })
    expect(asked).toHaveLength(2)
    seconds.add(asked[1] ?? '')
  }
  expect([...seconds].toSorted()).toEqual(['three', 'two'])
})

test('gives every query the request that its own session would send', async () => {
  const { capture } = sessions()
  const made = await makeTemplate(making('one', ['two']), { capture, now })
  if ('problem' in made) throw new Error(made.problem)
  expect(made.ids).toHaveLength(1)
  const used = useTemplate(made)
  const text = 'Quotes ", \\ and\na line, with ü'
  const [first, second] = [fillTemplate(used, text), fillTemplate(used, text)]
  const id = first.headers['x-session'] ?? ''
  expect(id).not.toBe(second.headers['x-session'])
  const [old = ''] = made.ids
  expect(first.body).toBe(made.request.body.replace('"one"', JSON.stringify(text)).replaceAll(old, id))
})

test('names the place in which two starts differ', async () => {
  const { capture } = sessions((_prompt, index) => `Files: ${index}`)
  const made = await makeTemplate(making('one', ['two']), { capture, now })
  expect(made).toEqual({
    problem:
      'the first requests of two sessions differ in body.messages.1.content.0.text, character 95: "rites notes.\\nFiles: 0" and "rites notes.\\nFiles: 1"',
  })
})

test('is made again where its starts straddle midnight', async () => {
  let date = NOON
  const { asked, capture } = sessions(() => `Today is ${date.toDateString()}.`)
  const straddling: TemplateTools['capture'] = (...given) => {
    const start = capture(...given)
    // The second start of the first pair is one of the next day.
    date = NEXT_DAY
    return start
  }
  const tools = { capture: straddling, now: () => date }
  const before = templateName(making('one', ['two']), tools)
  const made = await makeTemplate(making('one', ['two']), tools)
  expect(asked).toHaveLength(4)
  expect(made).toMatchObject({ request: { body: expect.stringContaining('Fri Jan 16 2026') } })
  expect(made).not.toMatchObject({ request: { body: expect.stringContaining('Thu Jan 15 2026') } })
  // A template of yesterday is not that of today.
  expect(templateName(making('one', ['two']), tools)).not.toBe(before)
})

test('is made from two starts of one query where a hook sees the prompt', async () => {
  const hooks = [{ event: 'pre-prompt', matcher: null, hooks: [] }]
  const { asked, capture } = sessions((prompt) => `Asked: ${prompt}.`)
  expect(await makeTemplate(making('one', ['two'], hooks), { capture, now })).toMatchObject({ isOwn: true })
  expect(asked).toEqual(['one', 'one'])
  const { capture: differing } = sessions((_prompt, index) => `Ticket ${index}`)
  expect(await makeTemplate(making('one', ['two'], hooks), { capture: differing, now })).toEqual({
    problem: expect.stringMatching(/^the first requests of two sessions differ in .*Ticket 0.*Ticket 1/),
  })
})

test('says why there is none', async () => {
  const failing = (): Promise<{ readonly problem: string }> => Promise.resolve({ problem: 'a session sent no request' })
  expect(await makeTemplate(making('one', ['two']), { capture: failing, now })).toEqual({
    problem: 'a session sent no request',
  })
  const { capture: other } = sessions()
  const wrapped: TemplateTools['capture'] = (request, prompt) => other(request, `<user>${prompt}</user>`)
  expect(await makeTemplate(making('one', ['two']), { capture: wrapped, now })).toEqual({
    problem: 'the first request does not contain the prompt as a separate text',
  })
})

test('a query that is recorded is compared with a session of its own, once for all its runs', async () => {
  const { asked, capture } = sessions((prompt) => (prompt === 'shown' ? 'Files: shown.txt' : ''))
  const made = await makeTemplate(making('one', ['two']), { capture, now })
  if ('problem' in made) throw new Error(made.problem)
  const used = useTemplate(made)
  const differs = (prompt: string): Promise<string | null> =>
    compareStart(making(prompt, []).request, used, { capture, now })
  expect(await Promise.all([differs('three'), differs('three'), differs('three')])).toEqual([null, null, null])
  expect(asked.filter((prompt) => prompt === 'three')).toHaveLength(1)
  expect(await differs('shown')).toBe(
    'the first request of its session differs from the probe in body.messages.1.content.0.text, character 88: "otes: Writes notes.\\n" and "otes: Writes notes.\\nFiles: shown.txt"',
  )
  const failing = (): Promise<{ readonly problem: string }> => Promise.resolve({ problem: 'a session sent no request' })
  expect(await compareStart(making('four', []).request, used, { capture: failing, now })).toBe(
    'a session sent no request',
  )
})
