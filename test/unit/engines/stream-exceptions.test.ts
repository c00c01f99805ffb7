import { expect, test } from 'vitest'
import { requireEngine } from '../../../src/engines/registry.ts'
import { expectOutcomes } from '../../support/security-page.ts'

const ENGINES = ['claude-code', 'codex', 'copilot']

test('SECURITY.md lists what the stream of each engine is not compared in', async () => {
  const exceptions = ENGINES.map((name) => requireEngine(name).streamAgreement?.exceptions)
  expect(exceptions).not.toContain(undefined)
  const row = (kind: 'messages' | 'calls' | 'results') =>
    [kind, ...exceptions.map((one) => one?.[kind] ?? '-')] as const
  await expectOutcomes('exceptions', ['', ...ENGINES], [row('messages'), row('calls'), row('results')])
})
