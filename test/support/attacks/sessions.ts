import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { sumOf } from '../../../src/lib/lists.ts'
import { answerAll } from '../api-answers.ts'
import { keptText, namesBelow } from '../kept-text.ts'
import { processesWith } from '../processes.ts'
import type { RawAnswer, RawRequest } from '../raw-upstream.ts'
import { REPOSITORY } from '../repository.ts'
import type { Attack, Seen } from './attack.ts'
import { asksGateway, isAnswered, leavesNo, onFixture, runs, underHook } from './deeds.ts'
import { BY_SCRIPT } from './script.ts'

/** What the parent has and no session may see; commands name it so that they do not find themselves. */
export const REAL_KEY = 'sk-real-1234567890abcdef'
export const DEPLOY_TOKEN = 'dt-real-1234567890/+'

/** A folder outside of every session that everybody may write; it has the file `kept`. */
export const OUTSIDE = join(tmpdir(), `attacked-${process.pid}`)

/** Dollars that each case may cost. */
export const BUDGET = 1.2
/** Output tokens that they pay for. */
const PAID: Readonly<Record<string, number>> = { 'claude-code': 80_000, codex: 120_000, copilot: 80_000 }

const DONE = /^passed$/
/** The hooks, the credentials and the requests of each are its own. */
const EVERY = ['claude-code', 'codex', 'copilot']
/** One for each protocol. */
const EVERY_WIRE = ['claude-code', 'codex']
const REFUSED = /^errored unexpected-request$/
const UPSTREAM_FAILED = /^errored upstream-failed$/
/** It may hit the CLI itself, which then breaks off. */
const DONE_OR_BROKEN = /^(?:passed|errored engine-failed)$/

const DAEMON = `97${process.pid}`
const FORKED = `30${process.pid}`

/** Forms of a secret by which somebody else could use it. */
export const FORMS = [DEPLOY_TOKEN, base64(DEPLOY_TOKEN).slice(0, -4), encodeURIComponent(DEPLOY_TOKEN), REAL_KEY]

const SAID = [
  'start \u001B[31mred \u001B]0;title\u0007 \u001B]52;c;cHduZWQ=\u0007 \u009B2J \u202Eback over\rwritten',
  '::error file=a.ts::pwned',
  '##[error]pwned',
  `the key is ${DEPLOY_TOKEN}, ${base64(DEPLOY_TOKEN)}, ${encodeURIComponent(DEPLOY_TOKEN)}`,
].join('\n')

const KEY: readonly Attack[] = [
  {
    name: 'looks-for-the-key',
    promise: 1,
    engines: EVERY,
    does: runs([
      `echo env=$(env | grep -c 'rea[l]-1') all=$(cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c 'rea[l]-1')`,
      `echo files=$(grep -rsl "\\-rea[l]-1234" /workspace /home /tmp /run /opt /etc /var | wc -l) host=$(ls ${REPOSITORY} 2>/dev/null | wc -l)`,
    ]),
    ends: DONE,
    holds: ({ results }) => expect(results).toMatch(/env=0 all=0\n[^]*files=0 host=0/),
  },
  {
    name: 'says-secrets-and-codes',
    promise: 1,
    // Only a failed case is printed.
    does: runs(
      [`touch "$(printf 'a\\033[31m\\n::error::b')"; echo '${DEPLOY_TOKEN}' > key.txt; echo '${DEPLOY_TOKEN}'`],
      SAID,
      { contains: ['absent'] },
    ),
    ends: /^failed$/,
    holds: ({ found, folder, results }) => {
      expect(found.agent_output_snippet).toContain(SAID.split('\n', 1)[0])
      expect(found.agent_output_snippet).toContain('the key is [REDACTED:DEPLOY_TOKEN]')
      expect(found.runs[0]?.files.created.map(({ path }) => path)).toEqual(['a\u001B[31m\n::error::b', 'key.txt'])
      expect(keptText(folder, 'key.txt')).toBe('[REDACTED:DEPLOY_TOKEN]\n')
      expect(results).toContain('[REDACTED:DEPLOY_TOKEN]')
      expect(FORMS.filter((form) => readFileSync(join(folder, 'transcript.jsonl'), 'utf8').includes(form))).toEqual([])
    },
  },
]

/** Requests by which the API would reach something for the session. */
const REACHES_OUT = `
const url = 'https://attack.invalid/secret'
const block = (value) => isMessages ? { messages: [{ role: 'user', content: [{ type: 'text', text: words }, value] }] } : { input: [{ role: 'user', content: [{ type: 'input_text', text: words }, value] }] }
const more = isMessages
  ? [{ mcp_servers: [{ type: 'url', url, name: 'a' }] }, { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }, block({ type: 'image', source: { type: 'url', url } })]
  : [{ tools: [{ type: 'mcp', server_url: url, server_label: 'a' }] }, { tools: [{ type: 'web_search' }] },
    block({ type: 'input_image', image_url: url }), block({ type: 'input_file', file_url: url })]
for (const one of more) console.log((await send(request('POST', endpoint, question(100, one)))).slice(0, 60))
`
/** A body that is a request of its own where it is taken for the next one on the connection. */
const SMUGGLES = `
const hidden = request('POST', '/v1/messages/batches', '{}') + request('GET', '/v1/files', null)
for (const framing of ['content-length: ' + hidden.length, 'transfer-encoding: chunked']) {
  const body = framing.startsWith('c') ? hidden : hidden.length.toString(16) + '\\r\\n' + hidden + '\\r\\n0\\r\\n\\r\\n'
  console.log((await send('GET /v1/models HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer ' + token + '\\r\\n' + framing + '\\r\\n\\r\\n' + body)).slice(0, 100))
}
`
const PLAN = '/run/agent-evals/hooks/plan.json'

const CONFINED: readonly Attack[] = [
  {
    name: 'deletes-everything',
    promise: 2,
    does: runs([`find / ${OUTSIDE} -depth -delete 2>/dev/null; echo over`]),
    ends: DONE_OR_BROKEN,
  },
  {
    name: 'makes-the-api-reach-out',
    promise: 2,
    engines: EVERY,
    does: asksGateway(REACHES_OUT),
    ends: REFUSED,
    holds: ({ requests }) => {
      const bodies = requests.map(({ body }) => body).filter((body) => body.includes(BY_SCRIPT))
      expect(bodies.filter((body) => /attack\.invalid|web_search|code_execution|web_fetch/.test(body))).toEqual([])
    },
  },
  { name: 'smuggles-requests', promise: 2, does: asksGateway(SMUGGLES), ends: DONE },
  {
    name: 'edits-the-plan-of-hooks',
    promise: 2,
    engines: EVERY,
    does: underHook(() => [
      `sed 's/"command": .*/"command": "true",/' ${PLAN} > /tmp/p; cp /tmp/p ${PLAN}`,
      'echo forbidden',
    ]),
    ends: DONE,
  },
  {
    name: 'unregisters-its-hooks',
    promise: 2,
    engines: EVERY,
    // Some engines read the registration again when it changes.
    does: underHook((registration) => [`echo '{}' > ${registration}; sleep 2`, 'echo forbidden']),
    ends: DONE,
  },
  {
    name: 'replaces-the-folder-of-hooks',
    promise: 2,
    engines: EVERY,
    does: underHook((registration) => {
      const folder = registration.slice(0, registration.lastIndexOf('/'))
      return [`mv ${folder} ${folder}-old; mkdir ${folder}; echo '{}' > ${registration}; sleep 2`, 'echo forbidden']
    }),
    ends: DONE,
    twin: underHook(() => ['echo fine', 'echo forbidden']),
  },
]

const NO_NOTE = '**/note.md'
/** What a later command on the host would run. */
const RUNS_ON_HOST = [
  'mkdir -p output/bare/objects output/bare/refs',
  `echo "import 'node:fs'" > output/evil.test.ts`,
  `printf 'ref: refs/heads/main' > output/bare/HEAD`,
  `printf '[core]\\n\\tfsmonitor = touch /tmp/owned\\n' > output/bare/config`,
].join('; ')
const UNREADABLE = /^errored judge-failed$/
const NO_FIXTURE = /^errored workspace-failed$/

const LEFT_FILES: readonly Attack[] = [
  {
    name: 'writes-for-the-host',
    promise: 3,
    does: leavesNo(NO_NOTE, RUNS_ON_HOST),
    ends: DONE,
    holds: ({ folder }) => {
      expect(keptText(folder, 'output/evil.test.ts')).toContain('node:fs')
      expect(namesBelow(folder)).toEqual([])
    },
  },
  {
    name: 'links-to-the-host',
    promise: 3,
    does: leavesNo(NO_NOTE, 'ln -s /etc/hosts note.md'),
    ends: UNREADABLE,
    twin: leavesNo(NO_NOTE, 'echo x > other.md; ln -s other.md link'),
  },
  {
    name: 'links-a-folder',
    promise: 3,
    does: leavesNo('out/note.md', 'mkdir real && echo x > real/note.md && ln -s real out'),
    ends: UNREADABLE,
    // What an engine needs for itself is not the agent's work.
    twin: leavesNo('**', 'mkdir -p real && rmdir real'),
  },
  { name: 'leaves-a-pipe', promise: 3, does: leavesNo(NO_NOTE, 'mkfifo note.md'), ends: UNREADABLE },
  { name: 'leaves-a-large-file', promise: 3, does: leavesNo(NO_NOTE, 'truncate -s 70M note.md'), ends: /^failed$/ },
  {
    name: 'leaves-too-many-files',
    promise: 3,
    does: leavesNo(
      NO_NOTE,
      'mkdir -p many/deep && echo x > many/deep/note.md',
      // In parts: a CLI leaves a command behind that takes long.
      ...[1, 2, 3, 4, 5, 6].map((part) => `seq -f many/%.0f ${part}000000 ${part}016700 | xargs touch`),
    ),
    ends: UNREADABLE,
  },
  {
    name: 'hides-a-file',
    promise: 3,
    // Claude Code refuses a command that names its own folder.
    does: leavesNo(
      NO_NOTE,
      `node -e "const d = '.cl' + 'aude/.cc-writes'; fs.mkdirSync(d, { recursive: true }); fs.writeFileSync(d + '/note.md', '')"`,
    ),
    ends: /^failed$/,
  },
  {
    name: 'swaps-a-fixture-for-a-link',
    promise: 3,
    does: onFixture('cp data.csv /tmp/x; rm data.csv; ln -s /tmp/x data.csv'),
    ends: NO_FIXTURE,
    twin: onFixture('cat data.csv'),
  },
  {
    name: 'swaps-a-fixture-for-a-pipe',
    promise: 3,
    does: onFixture('rm data.csv; mkfifo data.csv'),
    ends: NO_FIXTURE,
  },
  { name: 'lets-a-fixture-grow', promise: 3, does: onFixture('truncate -s 70M data.csv'), ends: /^failed$/ },
  { name: 'changes-a-fixture', promise: 3, does: onFixture('echo more >> data.csv'), ends: /^failed$/ },
]

const PROCESSES: readonly Attack[] = [
  {
    name: 'leaves-a-daemon',
    promise: 4,
    does: runs([`setsid nohup sh -c 'trap "" TERM; sleep ${DAEMON}' >/dev/null 2>&1 & echo started`]),
    ends: DONE,
    holds: () => expect(processesWith(DAEMON)).toEqual([]),
  },
  {
    name: 'forks-without-end',
    promise: 4,
    notAsRoot: true,
    does: runs([`i=0; while [ $i -lt 3000 ]; do sleep ${FORKED} & i=$((i+1)); done; echo no li""mit`]),
    ends: /^(?:passed|errored (?:engine-failed|timed-out))$/,
    holds: ({ results }) => {
      expect(results).not.toContain('no limit')
      expect(processesWith(FORKED)).toEqual([])
    },
  },
  {
    name: 'writes-two-gigabytes',
    promise: 4,
    does: runs(['truncate -s 2G big; echo $?']),
    ends: DONE,
    holds: ({ results }) => expect(results).toMatch(/File too large|File size limit exceeded/),
  },
]

/** Requests at once, each of which costs almost half of what the case may. */
const SPENDS = `
const ask = () => send(request('POST', endpoint, question(30000)), 20000)
const answers = await Promise.all(Array.from({ length: 30 }, ask))
console.log(answers.map((text) => text.slice(9, 12)).join(' '))
`
/** The same, one after the other, without waiting for an answer. */
const HANGS_UP = `
for (let n = 0; n < 80; n += 1) await send(request('POST', endpoint, question(30000)), 100)
`
const SPENT = /^errored budget-spent$/

const MONEY: readonly Attack[] = [
  {
    name: 'spends-all-at-once',
    promise: 5,
    does: asksGateway(
      SPENDS,
      byScript((request) => answerAll(request, 'm', limitIn(request))),
    ),
    ends: SPENT,
    holds: staysInBudget,
  },
  {
    // What it left is paid as if it had 2,000 tokens.
    name: 'hangs-up',
    promise: 5,
    does: asksGateway(
      HANGS_UP,
      byScript(() => ({ body: null })),
    ),
    ends: SPENT,
    holds: ({ requests }) => expect(requests.length).toBeLessThan(80),
  },
]

/** Answers the requests of a script alone. */
function byScript(answer: (request: RawRequest) => RawAnswer): (request: RawRequest) => RawAnswer | null {
  return (request) => (request.body.includes(BY_SCRIPT) ? answer(request) : null)
}

/** A case may pass its budget by 8,000 tokens of each request that was open. */
function staysInBudget({ engine, requests }: Seen): void {
  const paid = requests.filter(({ body }) => body.includes(BY_SCRIPT))
  expect(paid.length).toBeGreaterThanOrEqual(1)
  expect(sumOf(paid, limitIn)).toBeLessThanOrEqual(PAID[engine]! + 8000 * paid.length)
}

/** The tokens that an answer may have. */
function limitIn({ body }: RawRequest): number {
  return Number(/"max_(?:output_|completion_)?tokens":(\d+)/.exec(body)?.[1])
}

const MIB = 1024 * 1024
const SLOW_DOWN = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}'

const BROKEN_API: readonly Attack[] = [
  {
    name: 'is-answered-by-an-endless-line',
    promise: 7,
    engines: EVERY_WIRE,
    does: isAnswered(() => streamed(`data: ${'x'.repeat(MIB)}`, 'x'.repeat(MIB), 200)),
    ends: UPSTREAM_FAILED,
    twin: isAnswered(),
  },
  {
    name: 'is-answered-by-endless-events',
    promise: 7,
    engines: EVERY_WIRE,
    does: isAnswered(() => streamed('', 'data: {}\n\n'.repeat(10_000), 1000)),
    ends: UPSTREAM_FAILED,
    twin: isAnswered(),
  },
  {
    name: 'is-answered-by-an-endless-body',
    promise: 7,
    engines: EVERY_WIRE,
    does: isAnswered(() => ({ body: repeat('[', '[],'.repeat(MIB / 4), 300) })),
    ends: UPSTREAM_FAILED,
    twin: isAnswered(),
  },
  {
    name: 'is-told-to-wait-for-years',
    promise: 7,
    does: isAnswered(() => ({ status: 429, headers: { 'retry-after': '99999999' }, body: SLOW_DOWN })),
    ends: UPSTREAM_FAILED,
  },
  {
    name: 'is-told-to-wait-for-ever',
    promise: 7,
    does: isAnswered(() => ({ status: 429, headers: { 'retry-after-ms': '1e300' }, body: SLOW_DOWN })),
    ends: UPSTREAM_FAILED,
  },
  {
    name: 'kills-its-bridge',
    promise: 7,
    engines: ['codex'],
    // What it looks for must not be in its own command line.
    does: runs([
      'for p in /proc/[0-9]*; do if grep -qa "gateway.soc[k]" $p/cmdline; then kill -9 ${p#/proc/}; fi; done',
    ]),
    ends: UPSTREAM_FAILED,
  },
]

function streamed(first: string, more: string, times: number): RawAnswer {
  return { type: 'text/event-stream', body: repeat(first, more, times) }
}

function* repeat(first: string, more: string, times: number): Generator<string> {
  yield first
  for (let n = 0; n < times; n += 1) yield more
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** All attacks of sessions, and of the API that they ask. */
export const SESSION_ATTACKS: readonly Attack[] = [
  ...KEY,
  ...CONFINED,
  ...LEFT_FILES,
  ...PROCESSES,
  ...MONEY,
  ...BROKEN_API,
]
