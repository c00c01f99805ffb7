import { INSIDE } from '../../../src/sandbox/environment.ts'
import { startMessagesServer, type MessagesServer, type ReceivedRequest, type Turn } from '../messages-server.ts'
import { CHILD, folderOf, PARITY_CASES } from './suite.ts'
import { turnsOf, type ParityCases } from './parity-case.ts'

/** The model of both runners: the agent of each case, the judge of each grader, and the server that a model plays. */
export function startParityModel(root: () => string, cases: ParityCases = PARITY_CASES): Promise<MessagesServer> {
  const asked = new Map<string, number>()
  return startMessagesServer(
    (request) => judgement(request, asked) ?? playedServer(request) ?? agentTurn(request, root(), cases),
  )
}

function agentTurn({ body, index }: ReceivedRequest, root: string, cases: ParityCases): Turn {
  const text = JSON.stringify(body)
  const name = [...JSON.stringify(body.messages).matchAll(/CASE:([\w-]+)/g)].at(-1)?.[1] ?? ''
  if (name === 'child') return CHILD[Math.min(index, CHILD.length - 1)] ?? {}
  const turns = cases[name]?.turns ?? [{ text: 'nothing to say' }]
  const hasPlugin = text.includes('demo:hello')
  const own = turnsOf(turns, hasPlugin)
  // The answer of a session that is resumed is not one of the case's turns.
  const at = text.includes('EARLIER-ANSWER') ? index - 1 : index
  const turn = own[Math.min(at, own.length - 1)] ?? { text: '' }
  return fillIn(turn, { model: body.model, folder: `${pluginOf(text, root)}/${folderOf(name, cases)}`, request: text })
}

function fillIn(turn: Turn, seen: { readonly model: string; readonly folder: string; readonly request: string }): Turn {
  const filled = JSON.stringify(turn)
    .replaceAll('${MODEL}', seen.model)
    .replaceAll('${CASE}', seen.folder)
    .replaceAll(/\$\{SEES:([^}]+)\}/g, (_, word: string) => (seen.request.includes(word) ? 'yes' : 'no'))
  return JSON.parse(filled) as Turn
}

// Claude Code runs the plugin where it lies, this project a copy beside the workspace.
function pluginOf(request: string, root: string): string {
  const workspace = /Primary working directory: ([^\\"]+)/.exec(request)?.[1] ?? ''
  if (workspace.includes('claude-eval-')) return root
  return workspace === INSIDE.workspace ? INSIDE.package : workspace.replace(/\/[^/]*$/, '/package')
}

function playedServer({ body }: ReceivedRequest): Turn | null {
  if ((body.tools ?? []).length > 0 || !JSON.stringify(body).includes('PLAYS:tracker')) return null
  return { text: 'asked although there is a recorded answer' }
}

// Votes are given in the order in which they are asked for, each runner by itself.
function judgement({ body }: ReceivedRequest, asked: Map<string, number>): Turn | null {
  if ((body.tools ?? []).length > 0) return null
  const text = JSON.stringify(body)
  const [, votes, criteria] = /VOTES:([PF-]{3}) ([^."\\]+)/.exec(text) ?? []
  if (votes === undefined || criteria === undefined) return null
  const nonce = /nonce: ([0-9a-f]{32})/.exec(text)?.[1]
  const key = `${nonce === undefined ? 'theirs' : 'ours'} ${criteria}`
  const count = asked.get(key) ?? 0
  asked.set(key, count + 1)
  const vote = votes[count % votes.length]
  if (vote === '-') return { error: { status: 400, message: 'This judge is broken.' } }
  // An image that does not reach the judge is no vote.
  const passes = vote === 'P' && (!criteria.includes('dot') || text.includes('"type":"image"'))
  if (nonce === undefined) return { text: passes ? 'PASS' : 'FAIL' }
  const verdict = {
    statement: 1,
    reason: 'As written.',
    evidence: [],
    looked_for: [],
    verdict: passes ? 'pass' : 'fail',
    weak: '',
  }
  return { text: JSON.stringify({ nonce, verdicts: [verdict], orders: '' }) }
}
