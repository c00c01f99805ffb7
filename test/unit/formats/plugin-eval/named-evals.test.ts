import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { loadSuite } from '../../../../src/formats/load-suite.ts'
import { loadPackage } from '../../../../src/packages/load-package.ts'
import { whyLeftOut } from '../../../../src/session/inputs/list-files.ts'
import { packageRule } from '../../../../src/session/inputs/stays-out.ts'
import { findSuitesOf } from '../../../support/find-suites.ts'

function caseAt(folder: string): Readonly<Record<string, string>> {
  return {
    [`${folder}/prompt.md`]: 'Say hi.\n',
    [`${folder}/graders/hi.md`]: '---\ntype: regex\n---\nhi\n',
  }
}

function manifest(evals: unknown, top: object = {}): string {
  return JSON.stringify({ name: 'named', experimental: { evals }, ...top })
}

const FILES = { ...caseAt('evals/usual'), ...caseAt('quality/evals/own'), ...caseAt('quality/evals/results/old') }

// As `claude plugin eval` of Claude Code 2.1.330 finds them.
test.for<[what: string, manifest: string, found: readonly string[]]>([
  ['a folder', manifest('quality/evals'), ['quality/evals/own']],
  ['a folder in other spelling', manifest(' ./quality//evals/ '), ['quality/evals/own']],
  ['a folder above it', manifest('quality'), ['quality/evals/own']],
  ['the first of a list', manifest(['quality/evals', 'evals']), ['quality/evals/own']],
  ['none', '{"name":"named"}', ['evals/usual', 'quality/evals/own']],
  ['a folder that is not there', manifest('gone'), []],
  ['a path that leads out, which is ignored', manifest('../quality'), ['evals/usual', 'quality/evals/own']],
  ['an absolute path, which is ignored', manifest('/quality'), ['evals/usual', 'quality/evals/own']],
  ['a key at the top, which is ignored', '{"name":"named","evals":"quality"}', ['evals/usual', 'quality/evals/own']],
])('experimental.evals is %s', async ([, text, found]) => {
  await using fixture = await createFixture({ '.claude-plugin/plugin.json': text, ...FILES })
  const root = fixture.path.replace(/\/$/, '')
  const files = await findSuitesOf('plugin-eval', root)
  expect(files.map((file) => file.replace(`${root}/`, '').replace('/prompt.md', ''))).toEqual(found)
})

test('a case outside of evals is loaded, and its folder stays out of what its agent gets', async () => {
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': manifest('quality'),
    ...caseAt('quality/own'),
  })
  const root = fixture.path.replace(/\/$/, '')
  const [file = ''] = await findSuitesOf('plugin-eval', root)
  const suite = await loadSuite(file, { root })
  expect([suite.issues, suite.cases.map(({ name }) => name)]).toEqual([[], ['own']])
  const { rule } = packageRule(await loadPackage(root))
  const isSeen = (path: string): boolean => whyLeftOut(path, false, rule) === null
  expect(['quality/own/graders/hi.md', 'lib/a.js'].map(isSeen)).toEqual([false, true])
})
