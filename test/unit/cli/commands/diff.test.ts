import { createFixture } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { diff } from '../../../../src/cli/commands/diff.ts'

test.for([
  ['is the same', {}, 0],
  ['fails now', { verdict: 'FAIL' }, 1],
  ['fails now, answered by a recording', { verdict: 'FAIL', source: 'replay' }, 1],
  ['fails now, in quarantine', { verdict: 'FAIL', quarantined: true }, 0],
  ['fails now, and asks something else', { verdict: 'FAIL', deterministic_checks: { contains: 'FAIL' } }, 0],
  ['is errored now', { verdict: 'ERROR' }, 2],
  ['is skipped now', { verdict: 'SKIP' }, 2],
  ['is errored now, in quarantine', { verdict: 'ERROR', quarantined: true }, 0],
  ['is gone', { id: 'b', name: 'b' }, 0],
] as const)('diff --fail-on-regression, of a case that passed and %s', async ([, given, exitCode]) => {
  const report = (more: object): string =>
    JSON.stringify({
      version: 1,
      agent_evals_version: '0.2.0',
      cases: [{ id: 'a', name: 'a', verdict: 'PASS', source: 'live', ...more }],
    })
  await using files = await createFixture({
    'before.json': report({ deterministic_checks: { greets: 'PASS' } }),
    'after.json': report({ deterministic_checks: { greets: 'PASS' }, ...given }),
  })
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    const paths = [files.getPath('before.json'), files.getPath('after.json')]
    expect(await diff.run([...paths, '--fail-on-regression'])).toBe(exitCode)
    expect(await diff.run(paths)).toBe(0)
  } finally {
    write.mockRestore()
  }
})
