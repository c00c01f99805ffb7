import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { loadPackage } from '../../../../src/packages/load-package.ts'
import { collectPackageTexts } from '../../../../src/case/replay/package-texts.ts'
import { createSuiteCache, loadSuite } from '../../../../src/formats/load-suite.ts'

const TOOLS = JSON.stringify({ tools: [{ name: 'create', description: 'Creates.', inputSchema: { type: 'object' } }] })
const FILES = {
  '.claude-plugin/plugin.json': '{"name":"demo","version":"1.0.0"}',
  '.mcp.json': '{"mcpServers":{"tracker":{"command":"sh"},"mail":{"command":"sh"}}}',
  'evals/mocks/tracker/_tools.json': TOOLS,
  'evals/one/mocks/tracker/create.md': 'made',
  'evals/one/mocks/tracker/close.md': 'closed',
  'evals/one/case.yaml': JSON.stringify({
    schema_version: '1.1',
    name: 'one',
    context: { history_file: 'history.jsonl' },
    execution: { prompt: 'Go.', append_system_prompt: 'Be brief.' },
    graders: [{ type: 'regex', name: 'a', pattern: 'x' }],
  }),
  'evals/one/history.jsonl': '{}\n',
}

test('what a case of claude plugin eval shows its model is known by its file', async () => {
  await using fixture = await createFixture(FILES)
  const root = fixture.path.replace(/\/$/, '')
  const suite = await loadSuite(fixture.getPath('evals/one/case.yaml'), { root, cache: createSuiteCache() })
  const [evalCase] = suite.cases
  if (evalCase === undefined) throw new Error(JSON.stringify(suite.issues))
  const pkg = await loadPackage(root)
  const { texts, fileOfTool } = collectPackageTexts({ package: pkg, plugins: [pkg], suite, evalCase, inputs: [] })
  expect(texts.map(({ path, part, always }) => `${path} ${part} ${always}`)).toEqual([
    'evals/one/case.yaml prompt true',
    'evals/one/case.yaml append_system_prompt true',
    'evals/one/history.jsonl history true',
  ])
  // A session that is not shown as text is compared by its hash.
  expect(texts.at(-1)?.text).toMatch(/^[0-9a-f]{64}$/)
  const tools = ['mcp__plugin_demo_tracker__create', 'mcp__tracker__create', 'tracker-create']
  expect(tools.map(fileOfTool)).toEqual(Array.from({ length: 3 }, () => 'evals/mocks/tracker/_tools.json'))
  expect(fileOfTool('mcp__plugin_demo_tracker__close')).toBe('evals/one/mocks/tracker/_tools.json')
  expect(fileOfTool('mcp__plugin_demo_mail__send')).toBe('.mcp.json')
  expect(fileOfTool('mcp__plugin_other_mail__send')).toBeNull()
})
