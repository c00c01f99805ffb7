import { linkSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readIn } from '../../../../src/case/assess/inspect-workspace.ts'
import { observeChecks, runChecks, type AskedCheck } from '../../../../src/checks/checks.ts'
import { isCreated } from '../../../../src/checks/file-facts.ts'
import { findChanges, walkWorkspace } from '../../../../src/session/file-changes.ts'
import { agentRun } from '../../../support/agent-run.ts'
import { agentWorkspace } from '../../../support/agent-workspace.ts'

const at = { line: 1, column: 1 }
const NO_SCRIPT = { exitCode: null, stdout: '', stderr: '', problem: 'none' }

test('what needs no content is decided for a file of 70 MB and for one with two names, and nothing else', async () => {
  await using workspace = await agentWorkspace({ 'grown.bin': 'x' })
  const { root } = workspace
  const before = await walkWorkspace(root)
  writeFileSync(`${root}/large.bin`, '')
  for (const name of ['large.bin', 'grown.bin']) truncateSync(`${root}/${name}`, 73_400_320)
  writeFileSync(`${root}/one.txt`, 'text')
  linkSync(`${root}/one.txt`, `${root}/two.txt`)
  const files = await findChanges(root, before)
  const outcomes = async (checks: readonly AskedCheck[]): Promise<readonly string[]> => {
    const run = agentRun({ files })
    const declared = checks.map((check) => ({ ...check, at }))
    const seen = await observeChecks(declared, run, null, readIn(root), async () => NO_SCRIPT)
    return runChecks(declared, run, null, seen).map(({ outcome }) => outcome)
  }
  for (const value of ['large.bin', 'one.txt', 'two.txt']) {
    const decided: readonly AskedCheck[] = [
      { kind: 'files-created', value },
      { kind: 'file-exists', value },
    ]
    expect(await outcomes(decided), value).toEqual(['passed', 'passed'])
    expect(isCreated(`*${value.slice(1)}`, files).is, value).toBe('yes')
    expect(await outcomes([{ kind: 'file-contains', value, text: 'text' }]), value).toEqual(['errored'])
  }
  expect(await outcomes([{ kind: 'file-unchanged', value: 'grown.bin' }])).toEqual(['failed'])
  expect(await outcomes([{ kind: 'files-created', value: 'absent.bin' }])).toEqual(['failed'])
})
