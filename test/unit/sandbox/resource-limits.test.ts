// @module-tag slow
import { describe, expect, test } from 'vitest'
import {
  createControlGroup,
  defaultLimits,
  enterControlGroup,
  formatBytes,
  removeControlGroup,
  type ResourceLimits,
} from '../../../src/sandbox/control-group.ts'
import { sandboxCommand } from '../../../src/sandbox/decide.ts'
import { probeBubblewrap } from '../../../src/sandbox/bubblewrap/command.ts'
import { runSandboxed, type SessionResult } from '../../../src/sandbox/run.ts'
import { openSession } from '../../support/sandbox-session.ts'
import type { SandboxDecision, SandboxedCommand } from '../../../src/sandbox/sandbox.ts'

const MEBIBYTE = 2 ** 20
const LIMITS: ResourceLimits = { memory: 256 * MEBIBYTE, disk: 32 * MEBIBYTE, entries: 500 }
const WITHOUT_END = 'sleep 60; echo to the end'
const TAKE_MEMORY = `perl -e '$taken = "a" x (300 * 2**20); sleep 60'; ${WITHOUT_END}`
/** Writes 48 MiB into a file that has no name any more. */
const DELETE_OPEN = `exec 5> gone; rm gone; head -c 50331648 /dev/zero >&5; ${WITHOUT_END}`

/** Writes 48 MiB into a file that has neither a name nor a descriptor any more, and is only mapped. */
const DELETE_MAPPED = `head -c 50331648 /dev/zero > gone
perl -e 'open F, "+<", "gone"; syscall(${process.arch === 'arm64' ? 222 : 9}, 0, 4096, 3, 1, fileno(F), 0); close F; unlink "gone"; sleep 60'; ${WITHOUT_END}`

const probe = await probeBubblewrap(process.env)
const NONE: SandboxDecision = { backend: 'none', asked: 'none', enforced: 'none', notice: null }
const BUBBLEWRAP: SandboxDecision = {
  backend: 'bubblewrap',
  asked: 'bubblewrap',
  enforced: 'bubblewrap',
  notice: null,
  ...(probe.works ? { found: probe.found } : {}),
}

describe.for([NONE, BUBBLEWRAP])('a session in $backend', (decision) => {
  describe.skipIf(decision.backend === 'bubblewrap' && !probe.works)('is ended when it', () => {
    test.for([
      [
        'fills the disk',
        `head -c 50331648 /dev/zero > big; ${WITHOUT_END}`,
        /^The session used more disk space than its limit of 32 MiB: \d+ MiB\. /,
      ],
      [
        'fills the disk behind a folder of its own',
        `mkdir -p a/b; head -c 50331648 /dev/zero > a/b/big; ${WITHOUT_END}`,
        /disk space than its limit of 32 MiB/,
      ],
      ['keeps what it deleted', DELETE_OPEN, /disk space than its limit of 32 MiB: \d+ MiB/],
      ...(process.getuid?.() === 0
        ? [['maps what it deleted', DELETE_MAPPED, /disk space than its limit of 32 MiB: \d+ MiB/] as const]
        : []),
      [
        'makes too many files',
        `i=0; while [ $i -lt 600 ]; do : > f$i; i=$((i+1)); done; ${WITHOUT_END}`,
        /more files and folders than its limit of 500\./,
      ],
      ['takes too much memory', TAKE_MEMORY, /^The session used more memory than its limit of 256 MiB: \d+ MiB\. /],
    ] as const)('%s', async ([, script, problem]) => {
      await using session = await openSession(decision)
      const result = await session.shell(script, {}, {}, { isRoot: false }, LIMITS)
      expect(result.resourceLimit).toMatch(problem)
      expect(result).toMatchObject({ aborted: true, timedOut: false, survivors: [], stdoutTail: '' })
    })

    test('has ended before anything looked', async () => {
      await using session = await openSession(decision)
      const result = await session.shell('head -c 50331648 /dev/zero > big', {}, {}, {}, LIMITS)
      expect(result).toMatchObject({
        exitCode: 0,
        aborted: false,
        resourceLimit: expect.stringContaining('48 MiB') as string,
      })
    })
  })
})

test('holes in files, further names of a file and links to large ones take no space', async () => {
  await using session = await openSession(NONE)
  const script =
    'head -c 20971520 /dev/zero > one; for n in 2 3 4; do ln one $n; done; perl -e \'truncate(">", 0); open F, ">hole"; truncate F, 2**32\'; ln -s /usr far'
  expect((await session.shell(script, {}, {}, {}, LIMITS)).resourceLimit).toBeNull()
})

test('forks that share their memory count once', async () => {
  await using session = await openSession(NONE)
  const script = `perl -e '$taken = "a" x (100 * 2**20); for (1..4) { fork or last } sleep 4'`
  expect((await session.shell(script, {}, {}, {}, LIMITS)).resourceLimit).toBeNull()
})

test('a session costs no other one anything', async () => {
  await using full = await openSession(NONE)
  await using other = await openSession(NONE)
  const [ended, passed] = await Promise.all([
    full.shell(TAKE_MEMORY, {}, {}, {}, LIMITS),
    other.shell('sleep 2; echo to the end', {}, {}, {}, LIMITS),
  ])
  expect([ended.resourceLimit, passed.resourceLimit]).toEqual([expect.stringContaining('memory'), null])
  expect(passed).toMatchObject({ exitCode: 0, stdoutTail: 'to the end\n' })
})

describe.skipIf(!probe.works)('in bubblewrap', () => {
  test('a session that fills its /tmp is ended', async () => {
    await using session = await openSession(BUBBLEWRAP)
    const result = await session.shell(`head -c 600000000 /dev/zero > /tmp/big; ${WITHOUT_END}`)
    expect(result.resourceLimit).toMatch(/^The session filled \/tmp, whose limit is 512 MiB\. /)
  })

  const group = createControlGroup({ processes: 100, memory: LIMITS.memory })
  if (group !== null) removeControlGroup(group)
  const has = group !== null && group.memory !== null
  test.skipIf(!has)('a control group ends what takes too much memory, and the session with it', async () => {
    await using session = await openSession(BUBBLEWRAP)
    const result = await runInGroup(
      sandboxCommand(BUBBLEWRAP, { ...session.request, arguments: ['-c', TAKE_MEMORY] }, { isRoot: false }),
    )
    expect(result.resourceLimit).toMatch(/^The session used more memory than its limit of 256 MiB: 256 MiB\. /)
    expect(result).toMatchObject({ stdoutTail: '', survivors: [] })
  })
})

test('are generous, and below what a small machine has', () => {
  expect(defaultLimits(64 * 2 ** 30)).toEqual({ memory: 4 * 2 ** 30, disk: 4 * 2 ** 30, entries: 500_000 })
  expect(defaultLimits(2 ** 30).memory).toBe(0.75 * 2 ** 30)
  expect([formatBytes(4 * 2 ** 30), formatBytes(512 * MEBIBYTE)]).toEqual(['4.0 GiB', '512 MiB'])
})

async function runInGroup(command: SandboxedCommand): Promise<SessionResult> {
  const controlGroup = createControlGroup({ processes: 100, memory: LIMITS.memory })!
  const { file, before } = enterControlGroup(controlGroup, command.file)
  return runSandboxed({ ...command, controlGroup, file, arguments: [...before, ...command.arguments] }, {}, LIMITS)
}
