import {
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
  chmodSync,
  existsSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { collectArtifacts, type ArtifactLimits, type Artifacts } from '../../../src/workspace/collect-artifacts.ts'
import { findChanges } from '../../../src/workspace/file-changes.ts'
import { walkWorkspace } from '../../../src/workspace/hash-walk.ts'
import { agentWorkspace } from '../../support/agent-workspace.ts'

interface Collected {
  readonly to: string
  readonly artifacts: Artifacts
}

async function collectAfter(
  act: (root: string) => void,
  check: (collected: Collected) => void,
  options: { readonly limits?: ArtifactLimits; readonly afterwards?: (root: string) => void } = {},
): Promise<void> {
  await using workspace = await agentWorkspace({ 'a.txt': 'one' })
  const { root, outside } = workspace
  const before = await walkWorkspace(root)
  act(root)
  const changes = await findChanges(root, before)
  options.afterwards?.(root)
  const to = `${outside}/run/artifacts`
  check({ to, artifacts: await collectArtifacts({ root, changes, to, limits: options.limits ?? {} }) })
}

test('copies created and modified files as plain files', () =>
  collectAfter(
    (root) => {
      mkdirSync(`${root}/out`)
      writeFileSync(`${root}/out/run.sh`, 'new')
      chmodSync(`${root}/out/run.sh`, 0o755)
      writeFileSync(`${root}/a.txt`, 'two!')
    },
    ({ to, artifacts }) => {
      expect(artifacts).toEqual({
        copied: [
          { path: 'out/run.sh', to: 'out/run.sh' },
          { path: 'a.txt', to: 'a.txt' },
        ],
        left: [],
      })
      expect(readFileSync(`${to}/a.txt`, 'utf8')).toBe('two!')
      expect(lstatSync(`${to}/out/run.sh`).mode & 0o777).toBe(0o644)
    },
  ))

test('without changes there is no folder', () =>
  collectAfter(
    () => undefined,
    ({ to }) => expect(existsSync(to)).toBe(false),
  ))

test('H2: control characters of names do not reach the run folder', () =>
  collectAfter(
    (root) => {
      writeFileSync(`${root}/a\nb%`, '')
      writeFileSync(`${root}/\u001B[2J`, '')
    },
    ({ to, artifacts }) => {
      expect(artifacts.left).toEqual([])
      expect(readdirSync(to).toSorted()).toEqual(['%1B[2J', 'a%0Ab%25'])
    },
  ))

test('H4: nothing of a git repository is copied', () =>
  collectAfter(
    (root) => {
      mkdirSync(`${root}/.git`)
      writeFileSync(`${root}/.git/config`, '[core]\n\tfsmonitor = evil')
    },
    ({ to, artifacts }) => {
      expect(artifacts).toEqual({
        copied: [],
        left: [{ path: '.git/config', reason: 'is part of a git repository, whose hooks would run here' }],
      })
      expect(existsSync(to)).toBe(false)
    },
  ))

test('H5: a file that was swapped or changed after the walk is left out', () =>
  collectAfter(
    (root) => {
      writeFileSync(`${root}/changed`, 'aaa')
      writeFileSync(`${root}/gone`, '')
      writeFileSync(`${root}/linked`, 'aaa')
    },
    ({ to, artifacts }) => {
      expect(artifacts).toEqual({
        copied: [],
        left: [
          { path: 'changed', reason: 'changed after the run had ended' },
          { path: 'gone', reason: 'does not exist' },
          { path: 'linked', reason: 'is a symbolic link' },
        ],
      })
      expect(readdirSync(to)).toEqual([])
    },
    {
      afterwards(root) {
        writeFileSync(`${root}/changed`, 'bbb')
        rmSync(`${root}/gone`)
        rmSync(`${root}/linked`)
        symlinkSync('/etc/hostname', `${root}/linked`)
      },
    },
  ))

test.each([
  [{ files: 1 }, 'comes after 1 others'],
  [{ fileBytes: 5 }, 'is larger than 5 bytes'],
  [{ totalBytes: 12 }, 'comes after 12 bytes of others'],
])('H1: %j is a cap', (limits, reason) =>
  collectAfter(
    (root) => {
      writeFileSync(`${root}/x`, 'x'.repeat(5))
      writeFileSync(`${root}/y`, 'y'.repeat(10))
    },
    ({ artifacts }) => {
      expect(artifacts.copied).toEqual([{ path: 'x', to: 'x' }])
      expect(artifacts.left).toEqual([{ path: 'y', reason }])
    },
    { limits },
  ),
)
