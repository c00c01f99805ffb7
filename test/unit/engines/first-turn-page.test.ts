import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../../../src/engines/registry.ts'
import { CODEX_VERSION, COPILOT_VERSION } from '../../support/other-engines.ts'
import { REPOSITORY } from '../../support/repository.ts'

/** What test/e2e/engine-requests.test.ts finds in the requests of two sessions. */
const REASONS: Readonly<Record<string, string>> = {
  codex: `Codex (${CODEX_VERSION}) sends the time of the turn in the header \`x-codex-turn-metadata\`.`,
  copilot: `Copilot (${COPILOT_VERSION}) writes the time before the query.`,
}

test('the page says which engines are decided by their first turn, and why the others are not', async () => {
  const page = await readFile(join(REPOSITORY, 'docs/skill-evals-reference.md'), 'utf8')
  const section = page.split(/^## /m).find((part) => part.startsWith('How a trigger query is decided\n')) ?? ''
  const text = section.replaceAll(/\s+/g, ' ')
  // The direct API has no skills.
  for (const { name, firstTurn } of Object.values(engines).filter((engine) => 'command' in engine)) {
    if (firstTurn === undefined) expect(text).toContain(REASONS[name] ?? `the reason of ${name}`)
    else expect([name, text]).toEqual(['claude-code', expect.stringContaining('With Claude Code in bubblewrap')])
  }
  expect(text).toContain('Codex and Copilot always run full sessions')
  expect(text).toContain('Nothing was verified against a real API.')
})
