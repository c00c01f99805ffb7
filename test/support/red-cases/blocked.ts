import type { ConformingEngine } from '../conformance/engines.ts'
import type { WrittenTool } from '../package-run.ts'
import { aamPackage, engineNamed, type AamCase, type Files } from './aam.ts'
import type { RedPackage } from './red-package.ts'

const decides = (permissionDecision: string): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason: 'by rule' } })}'`

/** A hook that decides by a word of the command. */
const GUARD: Files = {
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: {
      'pre-tool-use': [
        { matcher: 'Bash', hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] },
      ],
    },
  }),
  'hooks/guard.sh': `case "$(cat)" in
*'echo exits'*) echo "forbidden" >&2; exit 2 ;;
*'echo denies'*) ${decides('deny')} ;;
*'echo asks'*) ${decides('ask')} ;;
*'echo allows'*) ${decides('allow')} ;;
*'echo mistakes'*) echo '{"decision": "refuse"}' ;;
esac
`,
}

const BLOCKED = { target: 'hook:pre-tool-use', expected: { 'agent-blocked': true } }

/** Cases of blocked calls on an engine, in case files and in TypeScript. */
function blockedCalls(engine: string): readonly RedPackage[] {
  const tools = engineNamed(engine)
  const echo = (word: string): AamCase['turns'] => [{ tools: [tools.shell(`echo ${word} > x.txt`)] }, 'Done.']
  const cases: Readonly<Record<string, AamCase>> = {
    'hook-exits': { ...BLOCKED, turns: echo('exits') },
    'hook-denies': { ...BLOCKED, turns: echo('denies') },
    'hook-asks': { ...BLOCKED, turns: echo('asks') },
    'hook-allows': { ...BLOCKED, turns: echo('allows') },
    'hook-mistakes': { ...BLOCKED, turns: echo('mistakes') },
    'only-the-sandbox': { ...BLOCKED, turns: [{ tools: [tools.shell('touch /usr/x')] }, 'Done.'] },
    'free-but-blocked': { ...BLOCKED, expected: { 'agent-blocked': false }, turns: echo('exits') },
  }
  // Codex knows no decision "ask", so its hook has failed open.
  const asks = engine === 'codex' ? { 'hook-asks': 'errored hook-failed-open' } : {}
  return [
    {
      about: `agent-blocked is decided by a hook alone (${engine})`,
      folder: `played/${engine}-blocked`,
      files: aamPackage(engine, cases, GUARD),
      red: {
        ...asks,
        'hook-allows': 'failed',
        'hook-mistakes': 'errored hook-failed-open',
        'only-the-sandbox': 'failed',
        'free-but-blocked': 'failed',
      },
      green: ['hook-exits', 'hook-denies', ...(engine === 'codex' ? [] : ['hook-asks'])],
    },
    {
      about: `toBeBlocked tells who blocked (${engine})`,
      folder: `played/${engine}-matcher`,
      files: matcherFiles(tools),
      red: { 'exits-by-permission': 'failed', 'sandbox-by-hook': 'failed' },
      green: ['exits', 'denies', 'sandbox', 'permission', 'allows'],
    },
  ]
}

/** Tests by name: what the agent does, and what is expected of its run. */
function matcherFiles(tools: ConformingEngine): Files {
  const exits = tools.shell('echo exits > x.txt')
  const allows = tools.shell('echo allows > x.txt')
  const outside = tools.shell('touch /usr/x')
  const tests: Readonly<Record<string, Blocked>> = {
    exits: { call: exits, by: ['hook'] },
    denies: { call: tools.shell('echo denies > x.txt'), by: ['hook'] },
    sandbox: { call: outside, by: ['sandbox'] },
    // A run whose every call was refused has shown nothing.
    permission: { call: tools.forbidden, besides: allows, sandbox: 'none', by: ['permission'] },
    allows: { call: allows, by: [] },
    'exits-by-permission': { call: exits, by: ['permission'] },
    'sandbox-by-hook': { call: outside, by: ['hook'] },
  }
  const scenarios = Object.entries(tests).map(([name, { call, besides }]) => [
    `evals/scenarios/${name}.yaml`,
    JSON.stringify({ turns: [{ tools: [call, ...(besides === undefined ? [] : [besides])] }, 'Done.'] }),
  ])
  const code = Object.entries(tests).map(([name, one]) => codeOf(name, one))
  return aamPackage(
    tools.name,
    {},
    {
      ...GUARD,
      'evals/blocked.eval.ts': `import { expect, test } from 'vitest-agent-evals/test'\n${code.join('')}`,
      ...Object.fromEntries(scenarios),
    },
  )
}

interface Blocked {
  readonly call: WrittenTool
  readonly besides?: WrittenTool
  readonly sandbox?: 'none'
  /** Who has blocked it; nobody else has. */
  readonly by: readonly string[]
}

function codeOf(name: string, { by, sandbox }: Blocked): string {
  const lines = ['hook', 'permission', 'sandbox'].map(
    (one) => `  expect(run)${by.includes(one) ? '' : '.not'}.toBeBlocked({ by: '${one}' })\n`,
  )
  const options = sandbox === undefined ? '' : `, { sandbox: '${sandbox}' }`
  return `test('${name}', async ({ agent }) => {\n  const run = await agent.run('Go.'${options})\n${lines.join('')}})\n`
}

/** Blocked calls of every kind on every engine. */
export const BLOCKED_CALLS: readonly RedPackage[] = ['claude-code', 'codex', 'copilot'].flatMap(blockedCalls)
