// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { claudeLoadErrors, ourLoadErrors, type LoadError, type LoadErrors } from '../support/plugin-eval/load-errors.ts'
import { ODD_CASES } from '../support/plugin-eval/odd-cases.ts'
import { ODD_FOLDERS } from '../support/plugin-eval/odd-files.ts'
import { compareSuite, keptOurs } from '../support/plugin-eval/run-both.ts'

test.skipIf(claudeExecutable() === null)('refuses the odd cases that claude plugin eval refuses', async () => {
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': '{"name":"plug","version":"0.1.0"}',
    ...Object.fromEntries(
      Object.entries(ODD_FOLDERS).flatMap(([name, { files }]) =>
        Object.entries(files).map(([path, content]) => [`evals/${name}/${path}`, content]),
      ),
    ),
  })
  const root = fixture.path.replace(/\/$/, '')
  const theirs = await claudeLoadErrors(root)
  const ours = await ourLoadErrors(root)
  expect(theirs.size).toBeGreaterThan(80)
  const rows = Object.keys(ODD_FOLDERS).map((name) =>
    compareErrors(name, errorsBelow(name, theirs), errorsBelow(name, ours)),
  )
  console.log(rows.map(({ line }) => line).join('\n'))
  expect(rows.filter(({ isEqual, reason }) => !isEqual && reason === null).map(({ line }) => line)).toEqual([])
  // A reason that is no longer one would hide the next difference.
  expect(rows.filter(({ isEqual, reason }) => isEqual && reason !== null).map(({ line }) => line)).toEqual([])
})

function errorsBelow(name: string, errors: LoadErrors): readonly LoadError[] {
  return [...errors].flatMap(([folder, found]) => (`${folder}/`.startsWith(`${name}/`) ? found : []))
}

function compareErrors(
  name: string,
  theirs: readonly LoadError[],
  ours: readonly LoadError[],
): { readonly line: string; readonly isEqual: boolean; readonly reason: string | null } {
  const reason = ODD_FOLDERS[name]?.differs ?? null
  // It ends at the first mistake; here all are listed.
  const [first] = theirs
  const same = ours.find(({ file, field }) => field === first?.field && (first.file === null || first.file === file))
  const isEqual = first === undefined ? ours.length === 0 : same !== undefined
  const words = isEqual ? `equal  ${same?.text ?? 'loads'}` : reason === null ? 'DIFFERS' : `differs (${reason})`
  const both = isEqual ? '' : `\n  theirs ${JSON.stringify(theirs)}\n  ours   ${JSON.stringify(ours)}`
  return { line: `${name.padEnd(27)} ${words}${both}`, isEqual, reason }
}

test.skipIf(claudeExecutable() === null)(
  'gives odd cases the scores of claude plugin eval',
  { timeout: 1_200_000 },
  async () => {
    const { rows, theirs, ours, kept, output } = await compareSuite({
      cases: ODD_CASES,
      file: 'plugin-eval-odd-scores.json',
      // What a case gets without its plugin, the other suite shows.
      flags: ['--ablation', 'none'],
    })
    expect(
      rows.filter(({ isEqual, mayDiffer }) => isEqual === mayDiffer).map(({ line }) => line),
      output,
    ).toEqual([])
    if (kept.version === theirs.version) expect(ours).toEqual(keptOurs(kept, Object.keys(ours)))
  },
)
