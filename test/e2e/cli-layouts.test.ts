// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { namesIn, namesOf, type Layout, type Session } from '../support/layouts/layout.ts'
import { PLUGINS } from '../support/layouts/plugins.ts'
import { PROJECTS } from '../support/layouts/projects.ts'
import { NOTHING, layOut, runInEach, startInEach, type Laid } from '../support/layouts/sessions.ts'
import { PARTS } from '../support/layouts/skills.ts'
import { claudeFolder } from '../support/other-engines.ts'
import { describeEvals } from '../support/package-run.ts'

const LAYOUTS: readonly Layout[] = [...PARTS, ...PROJECTS, ...PLUGINS]

/** Newer than the one that the repository has. */
const NEWEST = '2.1.332'

/** By layout, what a session in it has that one in an empty project has not. */
type Table = Readonly<Record<string, readonly string[]>>

function tableOf({ folders }: Laid, sessions: ReadonlyMap<string, Session>): Table {
  const namesOfSession = (name: string): readonly string[] => {
    const session = sessions.get(name)
    return session === undefined ? [] : namesIn(session)
  }
  const own = new Set(namesOfSession(NOTHING.name))
  return Object.fromEntries(
    folders.flatMap(({ name, layouts }) => {
      const names = namesOfSession(name).filter((one) => !own.has(one))
      return layouts.map((layout) => [layout.name, layout.as === 'project' ? names : namesOf(layout, names)])
    }),
  )
}

/** What our sessions have: of a plugin they are the only one, so there nothing needs its prefix. */
function ourTableOf(laid: Laid, sessions: ReadonlyMap<string, Session>): Table {
  const own = new Set(namesIn(sessions.get(NOTHING.name) ?? { init: {}, request: '' }))
  const table = tableOf(laid, sessions)
  const ofPlugins = laid.folders.flatMap(({ name, layouts: [layout] }): [string, readonly string[]][] => {
    const session = sessions.get(name)
    if ((layout?.as !== 'plugin' && layout?.installs === undefined) || session === undefined) return []
    const names = namesIn(session).filter((one) => !own.has(one))
    return [[name, names.map((one) => one.replace(`${name}:`, '')).toSorted()]]
  })
  return { ...table, ...Object.fromEntries(ofPlugins) }
}

function expectedTable(): Table {
  return Object.fromEntries([NOTHING, ...LAYOUTS].map(({ name, loads }) => [name, loads]))
}

describeEvals('what a session has, by layout of the files', () => {
  let laid: Laid

  beforeAll(async () => {
    laid = await layOut([NOTHING, ...LAYOUTS])
  })
  afterAll(() => laid[Symbol.asyncDispose]())

  test('the CLI of this repository, as a user starts it', { timeout: 900_000 }, async () => {
    const sessions = await startInEach(claudeExecutable() ?? '', laid)
    expect(sortedBy(tableOf(laid, sessions))).toEqual(sortedBy(expectedTable()))
  })

  test('its newest version', { timeout: 900_000 }, async () => {
    const program = `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`
    const sessions = await startInEach(join(await claudeFolder(NEWEST), program), laid)
    expect(sortedBy(tableOf(laid, sessions))).toEqual(sortedBy(expectedTable()))
  })

  test('a case in the same folder, but where a row says why not', { timeout: 1_500_000 }, async () => {
    const ours = ourTableOf(laid, await runInEach(claudeExecutable() ?? '', laid))
    const expected = ({ name, loads, installs }: Layout): readonly string[] =>
      installs === undefined ? loads : loads.map((one) => one.replace(`${name}:`, ''))
    const differing = LAYOUTS.filter((layout) => String(ours[layout.name]) !== String(expected(layout)))
    const named = LAYOUTS.filter(({ differs }) => differs !== undefined)
    const rows = (layouts: readonly Layout[]): object =>
      Object.fromEntries(layouts.map(({ name, loads }) => [name, { cli: loads, ours: ours[name] }]))
    expect(rows(differing)).toEqual(rows(named))
  })
})

function sortedBy(table: Table): Table {
  return Object.fromEntries(Object.entries(table).map(([name, names]) => [name, names.toSorted()]))
}
