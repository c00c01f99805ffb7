import { createHash } from 'node:crypto'
import { utimes, writeFile } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { collectInputs, isPackageInput } from '../../../../src/session/inputs/collect.ts'
import { createInputCache } from '../../../../src/session/inputs/input-cache.ts'
import { agentPackage, AT, skillOf, suiteOf } from '../../../support/agent-package.ts'

const TREE = {
  'skills/pdf/SKILL.md': 'skill',
  'evals/cases/a.yaml': 'case',
  'evals/eval-config.json': 'config',
  'evals/scenarios/a.yaml': 'scenario',
  'evals/fixtures/a.txt': 'fixture',
  'evals/fixtures/b.txt': 'prepared',
}

function requestFor(root: string) {
  return {
    suite: suiteOf(root, `${root}/evals/eval-config.json`),
    evalCase: {
      kind: 'task' as const,
      files: [{ from: `${root}/evals/fixtures/a.txt`, to: 'fixtures/a.txt', at: AT }],
      workspaceFiles: [
        { from: `${root}/evals/fixtures/b.txt`, to: 'src/b.txt', content: '', at: AT },
        { from: null, to: 'src/empty.txt', content: '', at: AT },
      ],
    },
    package: agentPackage(root, { skills: [skillOf(root, 'pdf')] }),
    scenario: `${root}/evals/scenarios/a.yaml`,
  }
}

test('lists everything a case depends on, with its hash', async () => {
  await using fixture = await createFixture(TREE)
  const root = fixture.path.replace(/\/$/, '')
  const inputs = await collectInputs(requestFor(root), createInputCache())
  expect(inputs.map(({ path, role, part, hash }) => [path, role, part?.name ?? null, hash])).toEqual([
    ['evals/cases/a.yaml', 'case', null, sha256('case')],
    ['evals/eval-config.json', 'case', null, sha256('config')],
    ['evals/fixtures/a.txt', 'fixture', null, sha256('fixture')],
    ['evals/fixtures/b.txt', 'fixture', null, sha256('prepared')],
    ['evals/scenarios/a.yaml', 'scenario', null, sha256('scenario')],
    ['skills/pdf/SKILL.md', 'package', 'pdf', sha256('skill')],
  ])
  expect(inputs.filter(isPackageInput).map(({ file }) => file)).toEqual([`${root}/skills/pdf/SKILL.md`])
})

test('a file is hashed again only when its stamp has changed', async () => {
  await using fixture = await createFixture(TREE)
  const file = fixture.getPath('skills/pdf/SKILL.md')
  const cache = createInputCache()
  expect(await cache.hash(file)).toBe(sha256('skill'))
  await writeFile(file, 'SKILL')
  await utimes(file, 1, 1)
  expect(await cache.hash(file)).toBe(sha256('SKILL'))
})

test('many cases list the package once, and a package that was read again anew', async () => {
  await using fixture = await createFixture(TREE)
  const root = fixture.path.replace(/\/$/, '')
  const cache = createInputCache()
  const request = requestFor(root)
  const first = await collectInputs(request, cache)
  await writeFile(`${root}/AGENTS.md`, '')
  expect(await collectInputs(request, cache)).toEqual(first)
  const again = await collectInputs({ ...request, package: { ...request.package } }, cache)
  expect(again.map(({ path }) => path)).toEqual(['AGENTS.md', ...first.map(({ path }) => path)])
})

test('F3: a missing fixture is the error of its case', async () => {
  await using fixture = await createFixture({ 'evals/cases/a.yaml': '' })
  const root = fixture.path.replace(/\/$/, '')
  const request = { ...requestFor(root), suite: suiteOf(root), scenario: null }
  await expect(collectInputs(request, createInputCache())).rejects.toMatchObject({ code: 'missing-input' })
})

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
