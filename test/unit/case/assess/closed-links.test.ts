import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withClosedLinks } from '../../../../src/case/assess/inspect-workspace.ts'
import { agentWorkspace } from '../../../support/agent-workspace.ts'

/** The links of a workspace, and whether something is behind them while they are closed. `SESSION` is its name in the session. */
const LINKS: Readonly<Record<string, readonly [target: string, leads: boolean]>> = {
  beside: ['v1/total.txt', true],
  'deep/up': ['../v1/total.txt', true],
  folder: ['v1', true],
  chain: ['deep/up', true],
  absolute: ['SESSION/v1/total.txt', true],
  'deep/absolute': ['SESSION/v1', true],
  whole: ['SESSION', true],
  'venv/bin/python3': ['OUTSIDE/usr/bin/python3', true],
  'venv/bin/python': ['python3', true],
  gone: ['v9', false],
  circle: ['circle', false],
  answer: ['OUTSIDE/answer.txt', false],
  'relative-answer': ['../answer.txt', false],
  'by-name': ['SESSION/../answer.txt', false],
  outside: ['OUTSIDE', false],
  'by-link': ['outside/answer.txt', false],
  'by-own-folder': ['/proc/self/cwd/package.json', false],
  'by-dots': ['/usr/../proc/self/exe', false],
  'by-descriptor': ['/dev/stdin', false],
}

test('links of a workspace lead nowhere outside of it but to programs, and are afterwards what they were', async () => {
  await using workspace = await agentWorkspace({ 'v1/total.txt': '3' })
  const { root, outside } = workspace
  for (const folder of [`${root}/deep`, `${root}/venv/bin`, `${outside}/usr/bin`])
    mkdirSync(folder, { recursive: true })
  writeFileSync(`${outside}/answer.txt`, '3')
  writeFileSync(`${outside}/usr/bin/python3`, '')
  chmodSync(`${outside}/usr/bin/python3`, 0o755)
  const targetOf = (text: string): string => text.replace('SESSION', '/workspace').replace('OUTSIDE', outside)
  for (const [path, [target]] of Object.entries(LINKS)) symlinkSync(targetOf(target), `${root}/${path}`)
  // A name that is no text hides nothing.
  const odd = Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff])])
  mkdirSync(odd)
  symlinkSync(`${outside}/answer.txt`, Buffer.concat([odd, Buffer.from('/link')]))
  const found = await withClosedLinks(root, ['/workspace'], async () => ({
    leads: Object.fromEntries(Object.keys(LINKS).map((path) => [path, existsSync(`${root}/${path}`)])),
    odd: existsSync(Buffer.concat([odd, Buffer.from('/link')])),
    texts: ['beside', 'deep/up', 'chain', 'absolute', 'deep/absolute/total.txt', 'whole/v1/total.txt'].map((path) =>
      readFileSync(`${root}/${path}`, 'utf8'),
    ),
  }))
  expect(found.leads).toEqual(Object.fromEntries(Object.entries(LINKS).map(([path, [, leads]]) => [path, leads])))
  expect(found.odd).toBe(false)
  expect(new Set(found.texts)).toEqual(new Set(['3']))
  const after = Object.keys(LINKS).map((path) => [path, readlinkSync(`${root}/${path}`)])
  expect(after).toEqual(Object.entries(LINKS).map(([path, [target]]) => [path, targetOf(target)]))
  expect(existsSync(Buffer.concat([odd, Buffer.from('/link')]))).toBe(true)
})

test('links are given back where what runs meanwhile throws', async () => {
  await using workspace = await agentWorkspace({ 'a.txt': 'a' })
  symlinkSync('/etc/hostname', `${workspace.root}/link`)
  const broken = withClosedLinks(workspace.root, [], () => Promise.reject(new Error('broken')))
  await expect(broken).rejects.toThrow('broken')
  expect(readlinkSync(`${workspace.root}/link`)).toBe('/etc/hostname')
})
