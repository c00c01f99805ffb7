// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { expect, test } from 'vitest'
import { ENGINES } from '../support/conformance/engines.ts'
import { variablesOf } from '../support/conformance/matrix.ts'
import { verdicts } from '../support/eval-project.ts'
import { mcpServer } from '../support/mcp-server.ts'
import { createPackage, runEvals, type WrittenCase } from '../support/package-run.ts'

const SERVERS = {
  'my-where': { command: 'node', args: ['${PACKAGE_ROOT}/mcp/server.mjs'] },
  dead: { command: 'node', args: ['${PACKAGE_ROOT}/mcp/absent.mjs'] },
}

/** Checks that hold whatever the engine calls its tools and skills, and some with names that nothing has. */
const EXPECTED: Readonly<Record<string, NonNullable<WrittenCase['expected']>>> = {
  'a-known': {
    'no-tool': ['Write', 'WebFetch', 'exec_command', 'create', 'Task', 'mcp__my-where__where'],
    'skill-not-used': ['release-notes', 'notes'],
  },
  'c-dead': { 'no-tool': 'mcp__dead__go' },
  'd-server': { 'no-tool': 'mcp__my-wehre__where' },
  'e-skill': { 'skill-not-used': 'release-nots' },
}

test.for(ENGINES)('names of skills and tools are known as $name knows them', async (engine) => {
  await using project = await createPackage({
    config: { engine: engine.name },
    options: JSON.stringify({ sandbox: 'prefer', engines: { [engine.name]: await engine.program() } }),
    cases: Object.fromEntries(
      Object.entries(EXPECTED).map(([name, expected]) => [name, { prompt: `Go ${name}.`, expected, turns: ['done'] }]),
    ),
    files: {
      'skills/notes/SKILL.md': '---\nname: release-notes\ndescription: Writes notes\n---\nStart with a title.\n',
      'mcp/servers.json': JSON.stringify({ servers: SERVERS }),
      'mcp/server.mjs': mcpServer("'here'"),
    },
  })
  const run = await runEvals(project, await variablesOf([engine]))
  expect(verdicts(run.report)).toEqual([
    'a-known PASS',
    'c-dead ERROR unknown-name',
    'd-server ERROR unknown-name',
    'e-skill ERROR unknown-name',
  ])
  expect(run.case('c-dead').error).toMatch(/The MCP server "dead" (?:\(node \S+absent\.mjs\) )?did not start/)
  expect(run.case('d-server').error).toContain('Did you mean "my-where"?')
})
