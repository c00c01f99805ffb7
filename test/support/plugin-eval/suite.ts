import { GRADER_CASES } from './grader-cases.ts'
import { calls, says, type ParityCases } from './parity-case.ts'
import { SESSION_CASES } from './session-cases.ts'
import type { FileTree } from 'fs-fixture'
import type { Turn } from '../messages-server.ts'

/** The cases of the suite that both runners are given. */
export const PARITY_CASES: ParityCases = { ...GRADER_CASES, ...SESSION_CASES }

/** What the sub-agent of a case says. */
export const CHILD: readonly Turn[] = [calls('Read', { file_path: '/q' }), says('child done')]

/** The folder of a case below the plugin. */
export function folderOf(name: string, cases: ParityCases = PARITY_CASES): string {
  return `evals/${cases[name]?.folder ?? name}`
}

/** The plugin with its suite. */
export function paritySuite(parity: ParityCases = PARITY_CASES): FileTree {
  const cases = Object.entries(parity).flatMap(([name, { front = '', yaml, graders, files = {} }]) => {
    const folder = folderOf(name, parity)
    return [
      ...(yaml !== undefined && 'graders' in yaml ? [] : [[`${folder}/prompt.md`, promptOf(name, front)] as const]),
      ...(yaml === undefined ? [] : [[`${folder}/case.yaml`, caseOf(name, yaml)] as const]),
      ...Object.entries(graders).map(
        ([grader, [fields, body = '']]) =>
          [`${folder}/graders/${grader}.md`, `---\n${fields}\n---\n${body}\n`] as const,
      ),
      ...Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content] as const),
    ]
  })
  return {
    '.claude-plugin/plugin.json': '{"name":"demo","version":"1.0.0","description":"demo"}\n',
    // It must never be started: files play it.
    '.mcp.json': JSON.stringify({ mcpServers: { tracker: { command: 'sh', args: ['-c', 'exit 1'] } } }),
    'skills/hello/SKILL.md': '---\nname: hello\ndescription: Says hello. Use for greetings.\n---\nSay hello.\n',
    'extra/.claude-plugin/plugin.json': '{"name":"extra","version":"0.1.0","description":"extra"}\n',
    'extra/skills/bye/SKILL.md': '---\nname: bye\ndescription: Says bye. Use for farewells.\n---\nWave and say bye.\n',
    'extra/hooks/hooks.json': JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'echo MODE=$EVAL_MODE' }] }] },
    }),
    ...Object.fromEntries(cases),
  }
}

// JSON is YAML, so that no text needs quoting.
function caseOf(name: string, yaml: object): string {
  return JSON.stringify({ schema_version: '1.1', name, ...yaml }, null, 2)
}

function promptOf(name: string, front: string): string {
  const tools = front.includes('allowed_tools:') ? '' : 'allowed_tools: [Read, Write, Edit, Skill, Glob, Grep]'
  const fields = [tools, front].filter((line) => line !== '')
  const usual = [front.includes('runs:') ? '' : 'runs: 1', front.includes('max_turns:') ? '' : 'max_turns: 8']
  return `---\n${[...fields, ...usual.filter((line) => line !== '')].join('\n')}\n---\nCASE:${name} go.\n`
}
