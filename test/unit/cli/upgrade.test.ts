import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import type { AgentEvalsOptions } from '../../../src/options/options.ts'
import { REPOSITORY } from '../../support/repository.ts'

const page = await readFile(join(REPOSITORY, 'docs/upgrade.md'), 'utf8')
const rows = [...page.matchAll(/^\| `(?<option>\w+)`[^|]*\|[^|]*\|[^|]*\| `(?<line>\w+: [^`]+)`/gm)].map(
  ({ groups = {} }) => [groups['option'], groups['line'] ?? ''] as const,
)

/** The value of `name: value` as it is written in a configuration. */
function valueOf(line: string): unknown {
  const [, text = ''] = /^\w+: (.+)$/.exec(line) ?? []
  return JSON.parse(text.replaceAll("'", '"'))
}

test('the page has a line for each changed default, which is not the default of now', () => {
  expect(rows.map(([option]) => option)).toEqual([
    'sandbox',
    'triggers',
    'allowUnknownCost',
    'maxCostUsdPerCase',
    'judge',
  ])
  const now = resolveOptions({}, {})
  for (const [option, line] of rows) {
    const name = option as keyof AgentEvalsOptions & keyof typeof now
    expect(line.startsWith(`${name}: `)).toBe(true)
    expect(resolveOptions({ [name]: valueOf(line) }, {})[name]).not.toEqual(now[name])
    // The configuration below the table has them all.
    expect(page).toContain(`      ${line},\n`)
  }
})
