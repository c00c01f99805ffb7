// @module-tag no-engine
// @module-tag slow
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { describe, expect, test, vi } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { at, createPackage, skillTest } from '../support/assert-project.ts'

const SKILL = '---\nname: s\ndescription: Does things.\n---\nDo it.\n'

describe('hostile scripts', () => {
  const major = repositoryVitest()

  test('F14: each costs only its own case', async () => {
    await using project = await createPackage(major, {
      'skills/s/SKILL.md': SKILL,
      'skills/s/tests/test-config.json': '{"version": 1, "env": {"SKILL_TEST": "true"}}',
      'skills/t/SKILL.md': SKILL.replace('name: s', 'name: t'),
      'skills/t/tests/test-config.json': '{"version": 1, "timeout": 1}',
      'skills/s/kept.txt': 'kept\n',
      'skills/s/tests/cases/a-huge.yaml': skillTest(
        'huge',
        'yes x | head -c 100000000',
        'expected:\n  not-contains: [y]\n',
      ),
      'skills/t/tests/cases/b-hangs.yaml': skillTest('hangs', "trap '' TERM; sleep 1000"),
      'skills/s/tests/cases/c-daemon.yaml': skillTest(
        'daemon',
        `(setsid sh -c 'sleep 3; echo alive > daemon.txt' >/dev/null 2>&1 &); echo started`,
        'expected:\n  stdout-contains: [started]\n',
      ),
      'skills/s/tests/cases/d-missing.yaml': skillTest(
        'missing',
        'python3 scripts/nope.py',
        'expected:\n  exit-code: 2\n',
      ),
      'skills/s/tests/cases/e-crash.yaml': skillTest('crash', 'kill -SEGV $$'),
      'skills/s/tests/cases/f-destroys.yaml': skillTest('destroys', 'rm -rf ../.. ; echo gone'),
      'skills/s/tests/cases/g-fine.yaml': skillTest(
        'fine',
        'cat kept.txt && echo $SKILL_TEST',
        'expected:\n  stdout-contains: ["kept\\ntrue"]\n',
      ),
    })
    const run = await project.run(['run', '--maxWorkers=1'])
    expect(run.exitCode).toBe(1)
    expect(run.all).toMatch(/Tests +4 failed \| 3 passed \(7\)/)
    expect(run.all).toContain('which is unknown: stdout is too long')
    expect(run.all).toContain('expected the command to end within 1 s but it was still running and was killed')
    expect(run.all).toContain('The command names scripts/nope.py, which does not exist in the package.')
    expect(run.all).toContain('expected exit code 0 but got ended by SIGSEGV')
    expect(readFileSync(at(project, 'skills/s/kept.txt'), 'utf8')).toBe('kept\n')
  })

  test('F14 and A6: a daemon is gone when its case has ended', async () => {
    await using project = await createPackage(major, {
      'skills/s/SKILL.md': SKILL,
      'skills/s/tests/test-config.json': '{"version": 1, "env": {"MARK": "MARKFILE"}}',
      'skills/s/tests/cases/daemon.yaml': skillTest(
        'daemon',
        'setsid sh daemon.sh >/dev/null 2>&1 & sleep 0.3; echo up',
      ),
    })
    await writeFile(at(project, 'skills/s/daemon.sh'), `echo $$ > ${at(project, 'pid')}; sleep 1000\n`)
    const run = await project.run(['run'])
    expect(run.all).toMatch(/Tests +1 passed/)
    expect(isAlive(Number(readFileSync(at(project, 'pid'), 'utf8')))).toBe(false)
  })

  test.for(['SIGINT', 'SIGKILL'] as const)('S1 and S6: %s leaves no script and no folder behind', async (signal) => {
    await using temporary = await createFixture()
    await using project = await createPackage(major, {
      'skills/s/SKILL.md': SKILL,
      'skills/s/tests/cases/hangs.yaml': skillTest('hangs', 'sh hang.sh'),
    })
    const daemon = `setsid sh -c 'echo $$ > ${at(project, 'daemon')}; sleep 1000; true' >/dev/null 2>&1 &`
    await writeFile(
      at(project, 'skills/s/hang.sh'),
      `trap '' TERM; ${daemon}\necho $$ > ${at(project, 'pid')}; sleep 1000\n`,
    )
    const running = project.start(['run'], { env: { TMPDIR: temporary.path } })
    const pids = (): readonly number[] => ['pid', 'daemon'].map((name) => readPid(at(project, name)))
    await vi.waitUntil(() => pids().every((pid) => pid > 0), { timeout: 60_000 })
    // The main process alone, as the system does it that is out of memory.
    if (signal === 'SIGINT') running.send(signal)
    else process.kill(running.pid, signal)
    await running.finished
    const left = (): readonly unknown[] => [
      ...pids().filter(isAlive),
      ...readdirSync(temporary.path).filter((name) => name.startsWith('agent-evals-')),
    ]
    await vi.waitUntil(() => left().length === 0, { timeout: 20_000 })
  })
})

function readPid(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
