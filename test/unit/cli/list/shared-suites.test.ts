import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { findIssues } from '../../../../src/cli/lint/find-issues.ts'
import { list } from '../../../../src/cli/commands/list.ts'
import { loadSuites } from '../../../../src/cli/find/search.ts'
import { createAgent, golden, RUBRIC } from '../../../support/agent-fixture.ts'
import { describeShared } from '../../../support/shared.ts'

interface Listed {
  readonly cases: readonly { readonly kind: string; readonly expects: readonly unknown[] }[]
  readonly notes: readonly { readonly file: string; readonly message: string }[]
}

async function listed(root: string): Promise<Listed> {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  await list.run(['--root', root, '--json'])
  vi.restoreAllMocks()
  return JSON.parse(written.join('')) as Listed
}

test('a note on what several suites share is listed once', async () => {
  await using fixture = await createAgent({
    'golden/happy/001_hours.md': golden('001_hours'),
    'golden/happy/002_place.md': golden('002_place'),
    'rubric.md': RUBRIC.replace('agent: clerk', 'agent: other'),
  })
  const { cases, notes } = await listed(fixture.path)
  expect(cases).toHaveLength(2)
  expect(notes).not.toEqual([])
  expect(new Set(notes.map((note) => JSON.stringify(note))).size).toBe(notes.length)
})

describeShared('the suites of other projects', (shared) => {
  test.for<readonly [name: string, kinds: Readonly<Record<string, number>>, errors: readonly string[]]>([
    [
      'aam-spec-examples',
      { case: 2 },
      // The text shows these files without what they name.
      [
        'evals/cases/pdf-extraction-e2e.yaml unknown-target',
        'evals/cases/pdf-extraction-e2e.yaml file-missing',
        'hooks/hooks.json missing-script',
        'hooks/hooks.json missing-script',
        'skills/pdf-tools/SKILL.md file-missing',
        'skills/pdf-tools/tests/cases/01-basic.yaml file-missing',
      ],
    ],
    ['atomic-caldwell', { golden: 5 }, []],
    ['bmad-product-brief', { eval: 15, trigger: 15 }, []],
  ])('%s is listed with its meaning, and lint finds only what it lacks', async ([name, kinds, errors]) => {
    await using fixture = await createFixture()
    const root = join(fixture.path, name)
    await cp(join(shared, 'suites', name), root, { recursive: true })
    const { cases } = await listed(root)
    const counted = Object.keys(kinds).map((kind) => [kind, cases.filter((one) => one.kind === kind).length])
    expect(counted).toEqual(Object.entries(kinds))
    expect(cases.filter(({ expects }) => expects.length === 0)).toEqual([])
    const { issues } = await findIssues(await loadSuites(root))
    expect(
      issues
        .filter(({ severity }) => severity === 'error')
        .map(({ file, code }) => `${file.slice(root.length + 1)} ${code}`),
    ).toEqual(errors)
  })
})
