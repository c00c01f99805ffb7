import { expect, test } from 'vitest'
import { nameFolders, placeFolders, type SessionFolders } from '../../../src/recordings/paths.ts'

const SANDBOX: SessionFolders = {
  workspace: '/workspace',
  parent: '/',
  config: '/home/agent/.engine',
  home: '/home/agent',
  tmp: '/tmp',
  hooks: '/run/agent-evals/hooks',
  package: '/opt/agent-evals/package',
  node: '/opt/agent-evals/bin/node',
  shim: '/opt/agent-evals/hook-shim.js',
}
const ROOT = "/var/a folder/it's $5/run"
const HOST: SessionFolders = {
  workspace: `${ROOT}/workspace`,
  parent: ROOT,
  config: `${ROOT}/config`,
  home: `${ROOT}/home`,
  tmp: `${ROOT}/tmp`,
  hooks: `${ROOT}/hooks`,
  package: `${ROOT}/package`,
  node: '/usr/bin/node',
  shim: '/usr/lib/shim.js',
}

test.for([
  ['/workspace/out/a.txt', '⟨workspace⟩/out/a.txt'],
  ['Wrote /workspace.', 'Wrote ⟨workspace⟩.'],
  ['HOME=/home/agent:/tmp', 'HOME=⟨home⟩:⟨tmp⟩'],
  ['/home/agent/.engine/projects', '⟨config⟩/projects'],
  ['file:///workspace/a', 'file://⟨workspace⟩/a'],
  ['/workspaces /workspace-2 /workspace.bak my/workspace ./workspace', null],
  ['/home/agent/workspace and /home/agents', '⟨home⟩/workspace and /home/agents'],
] as const)('%s becomes %s', ([text, named]) => {
  expect(nameFolders(text, SANDBOX)).toBe(named ?? text)
})

test('texts are found at any depth, keys included, and nothing else changes', () => {
  const value = { list: ['/workspace/a', 1, null, true], nested: { '/tmp/x': { path: '/workspace' } } }
  expect(nameFolders(value, SANDBOX)).toEqual({
    list: ['⟨workspace⟩/a', 1, null, true],
    nested: { '⟨tmp⟩/x': { path: '⟨workspace⟩' } },
  })
  expect(placeFolders(nameFolders(value, SANDBOX), SANDBOX)).toEqual(value)
})

test('a folder with spaces and quotes is recognised plain, escaped for a shell and in an address', () => {
  const escaped = String.raw`cat /var/a\ folder/it\'s\ \$5/run/workspace/a.txt`
  expect(nameFolders(`${ROOT}/workspace/a.txt`, HOST)).toBe('⟨workspace⟩/a.txt')
  expect(nameFolders(escaped, HOST)).toBe('cat ⟨workspace⟩/a.txt')
  expect(nameFolders(`file://${encodeURI(ROOT)}/workspace/a.txt`, HOST)).toBe('file://⟨workspace⟩/a.txt')
})

test('a path stays one word of a command, whatever quotes it stands in', () => {
  const command = `cat ⟨workspace⟩/a "⟨workspace⟩/b" '⟨workspace⟩/c' it\\'s ⟨tmp⟩`
  const placed = placeFolders({ command, file_path: '⟨workspace⟩/a' }, HOST)
  expect(placed).toEqual({
    command: [
      String.raw`cat /var/a\ folder/it\'s\ \$5/run/workspace/a`,
      String.raw`"/var/a folder/it's \$5/run/workspace/b"`,
      String.raw`'/var/a folder/it'\''s $5/run/workspace/c'`,
      String.raw`it\'s /var/a\ folder/it\'s\ \$5/run/tmp`,
    ].join(' '),
    file_path: `${ROOT}/workspace/a`,
  })
})

test('what lies beside the workspace is named where the folder above it has a name, and found everywhere', () => {
  expect(nameFolders(`${ROOT}/note.txt above ${ROOT}`, HOST)).toBe('⟨parent⟩/note.txt above ⟨parent⟩')
  expect(nameFolders('/note.txt', SANDBOX)).toBe('/note.txt')
  expect(placeFolders('⟨parent⟩/note.txt above ⟨parent⟩', SANDBOX)).toBe('/note.txt above /')
  expect(placeFolders('⟨parent⟩/note.txt above ⟨parent⟩', HOST)).toBe(`${ROOT}/note.txt above ${ROOT}`)
})

test('what only looks like a name is left alone', () => {
  expect(placeFolders('⟨nothing⟩ <workspace> ${WORKSPACE}', HOST)).toBe('⟨nothing⟩ <workspace> ${WORKSPACE}')
})
