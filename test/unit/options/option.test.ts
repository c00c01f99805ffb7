import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { groupedHelp, optionHelp, readRunArguments } from '../../../src/cli/run-arguments.ts'
import { OPTIONS, type AgentEvalsOptions } from '../../../src/options/options.ts'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import { optionTables } from '../../support/option-table.ts'
import type { Option } from '../../../src/options/option.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')

test('the tables in the docs are generated from the options; update them with vitest -u', async () => {
  const file = join(REPOSITORY, 'docs/options.md')
  const text = await readFile(file, 'utf8')
  const tables = `<!-- options -->\n\n${optionTables(OPTIONS)}\n\n<!-- /options -->`
  await expect(text.replace(/<!-- options -->[^]*<!-- \/options -->/, () => tables)).toMatchFileSnapshot(file)
})

const patience: Option<number> = {
  group: 'run',
  schema: z.number().max(10),
  default: 3,
  placeholder: 'N',
  help: 'how patient the toy is',
}
const longer = { ...OPTIONS, toyPatience: patience }

test('an option that is added to the list is checked, read, shown and documented', () => {
  expect(resolveOptions({}, {}, longer)).toMatchObject({ toyPatience: 3, votes: 1 })
  const given = { toyPatience: 5 } as AgentEvalsOptions
  expect(resolveOptions(given, {}, longer)).toMatchObject({ toyPatience: 5 })
  const { environment, rest } = readRunArguments(['--toy-patience', '7', 'pdf'], '/work', longer)
  expect({ environment, rest }).toEqual({ environment: { AGENT_EVALS_TOY_PATIENCE: '7' }, rest: ['pdf'] })
  expect(resolveOptions(given, environment, longer)).toMatchObject({ toyPatience: 7 })
  expect(() => resolveOptions(given, { AGENT_EVALS_TOY_PATIENCE: '11' }, longer)).toThrow(
    'AGENT_EVALS_TOY_PATIENCE is "11": must be at most 10.',
  )
  expect(optionHelp(longer).find((line) => line.includes('toy'))).toMatch(
    /^ {2}--toy-patience N +how patient the toy is$/,
  )
  expect(optionTables(longer)).toContain(
    '| `toyPatience` | `AGENT_EVALS_TOY_PATIENCE` | `3` | how patient the toy is |',
  )
  expect(() => resolveOptions(given, {})).toThrow('option `toyPatience` of agentEvals() is not known')
})

test('the help of run has every flag once under a heading, and says what a flag does as it is written', () => {
  const help = groupedHelp((heading) => `# ${heading}`)
  const headings = ['What to run', 'Answers and cost', 'Judging', 'Sandbox', 'Output', 'Plugin evals']
  expect(help.filter((line) => line.startsWith('# '))).toEqual(headings.map((heading) => `# ${heading}`))
  const flags = help.filter((line) => line.startsWith('  '))
  expect(flags.toSorted()).toEqual(expect.arrayContaining([expect.stringMatching(/^ {2}-y, --yes +in a terminal/)]))
  const names = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => line.trim().split(' ')[0] ?? '').toSorted()
  expect(names(flags.filter((line) => !line.includes('--yes')))).toEqual(names(optionHelp()))
  const meaning = (flag: string): string | undefined => help.find((line) => line.includes(flag))?.trim()
  expect(meaning('--no-run-log')).toMatch(/^--no-run-log +write no log of golden tests$/)
  expect(meaning('--no-project-copy')).toMatch(
    /^--no-project-copy +start evals of skills in an empty workspace instead of a copy of their project$/,
  )
  // What a flag that begins with "no" does is never the text of its option, which is on without it.
  const on = Object.values(OPTIONS).flatMap((option) => (option.default === true ? [option.help] : []))
  const off = help.filter((line) => /^ {2}--no-/.test(line))
  expect(off.map((line) => line.trim().split(' ')[0])).toEqual([
    '--no-hooks',
    '--no-cache,',
    '--no-project-copy',
    '--no-run-log',
  ])
  expect(off.filter((line) => on.some((text) => line.endsWith(text)))).toEqual([])
})
