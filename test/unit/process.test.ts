// @module-tag slow
import { createFixture } from 'fs-fixture'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runProcess, type ProcessOptions } from '../../src/sandbox/process/run-process.ts'

const BASE: ProcessOptions = { env: { PATH: '/usr/local/bin:/usr/bin:/bin' }, cwd: '/' }

function node(script: string, options: Partial<ProcessOptions> = {}) {
  return runProcess(process.execPath, ['-e', script], { ...BASE, ...options })
}

test('tells exit code, output and environment, with nothing inherited', async () => {
  const result = await runProcess('sh', ['-c', 'cat; env | grep -v ^_= | sort; echo oops >&2; exit 3'], {
    ...BASE,
    env: { ...BASE.env, ONLY: 'this one' },
    stdin: 'from stdin\n',
  })

  expect({ ...result, durationMs: 0 }).toEqual({
    exitCode: 3,
    signal: null,
    timedOut: false,
    aborted: false,
    stdoutTail: 'from stdin\nONLY=this one\nPATH=/usr/local/bin:/usr/bin:/bin\nPWD=/\n',
    stderrTail: 'oops\n',
    status: '',
    durationMs: 0,
    spawnError: null,
  })
})

test('has an empty standard input when none is given', async () => {
  expect((await runProcess('wc', ['-c'], BASE)).stdoutTail).toBe('0\n')
})

test('takes two megabytes on standard input, also when nobody reads them', async () => {
  const stdin = 'x'.repeat(2_000_000)
  expect((await runProcess('wc', ['-c'], { ...BASE, stdin })).stdoutTail).toBe('2000000\n')
  expect((await runProcess('true', [], { ...BASE, stdin })).exitCode).toBe(0)
})

test.for([
  ['a missing program', '/nowhere/program', {}, 'ENOENT'],
  ['a folder', '/usr', {}, 'EACCES'],
  ['a missing working directory', 'true', { cwd: '/nowhere' }, 'ENOENT'],
  ['a missing descriptor', 'true', { descriptors: ['/nowhere/file'] }, 'ENOENT'],
  ['a null byte in the environment', 'true', { env: { A: 'a\0b' } }, 'ERR_INVALID_ARG_VALUE'],
] as const)('says why it did not start: %s', async ([, file, options, code]) => {
  const result = await runProcess(file, [], { ...BASE, ...options })
  expect(result.spawnError?.code).toBe(code)
  expect(result.exitCode).toBeNull()
})

test('A8: gives out lines as they come, whatever the chunks, with broken UTF-8 replaced', async () => {
  const lines: string[] = []
  const script = `
    const { stdout } = process
    const euro = Buffer.from('€')
    stdout.write(euro.subarray(0, 1))
    setTimeout(() => {
      stdout.write(Buffer.concat([euro.subarray(1), Buffer.from('\\r\\n\\n'), Buffer.from([0xff, 0xfe]), Buffer.from('\\nlast')]))
    }, 30)`
  const result = await node(script, { onLine: (line) => lines.push(line) })

  expect(lines).toEqual(['€', '', '\uFFFD\uFFFD', 'last'])
  expect(result.exitCode).toBe(0)
})

test('gives the error of a callback back and ends the process', async () => {
  const run = node('console.log(1); setInterval(() => {}, 1000)', {
    onLine: () => {
      throw new Error('callback broke')
    },
  })
  await expect(run).rejects.toThrow('callback broke')
})

test('A8: cuts a line that never ends', async () => {
  const lengths: number[] = []
  let end = ''
  await node(
    `const b = Buffer.alloc(1 << 20, 'a'); for (let i = 0; i < 20; i++) require('fs').writeSync(1, b); console.log('\\nnext')`,
    {
      onLine: (line) => {
        lengths.push(line.length)
        end = lengths.length === 1 ? line.slice(-24) : end
      },
    },
  )

  expect(lengths).toEqual([16 * 1024 * 1024 + ' [line cut at 16 MiB]'.length, 4])
  expect(end).toBe('aaa [line cut at 16 MiB]')
})

test('keeps start and end of a long output', async () => {
  const { stdoutTail, stderrTail } = await runProcess('sh', ['-c', 'seq 400000; echo end; seq 1 1000 >&2'], BASE)

  expect(stdoutTail.length).toBeLessThan(1_100_000)
  expect(stdoutTail.startsWith('1\n2\n3\n')).toBe(true)
  expect(stdoutTail.endsWith('\n399999\n400000\nend\n')).toBe(true)
  expect(stdoutTail).toMatch(/\n\[\d+ bytes left out\]\n/)
  expect(stderrTail.split('\n').length).toBe(1001)
})

test('A3: does not grow with 700 MB of output', { timeout: 60_000 }, async () => {
  const before = process.memoryUsage().rss
  const result = await runProcess('head', ['-c', '700000000', '/dev/zero'], BASE)

  expect(result.exitCode).toBe(0)
  expect(result.stdoutTail).toContain('[698951424 bytes left out]')
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
})

test('hands over files at descriptors and reads a status', async () => {
  await using files = await createFixture({ a: 'first', b: 'second' })
  const result = await runProcess('sh', ['-c', 'cat <&4; cat <&3; echo told >&5'], {
    ...BASE,
    descriptors: [files.getPath('a'), files.getPath('b')],
    status: true,
  })

  expect([result.stdoutTail, result.status]).toEqual(['secondfirst', 'told\n'])
})

test('ends what exceeds its deadline, with grace', async () => {
  const result = await runProcess('sh', ['-c', 'trap "echo bye; exit 9" TERM; while :; do sleep 0.05; done'], {
    ...BASE,
    deadlineMs: 300,
  })
  expect([result.timedOut, result.exitCode, result.stdoutTail]).toEqual([true, 9, 'bye\n'])
})

test('kills what ignores SIGTERM', async () => {
  const result = await runProcess('sh', ['-c', 'trap "" TERM; while :; do sleep 0.05; done'], {
    ...BASE,
    deadlineMs: 200,
    graceMs: 100,
  })
  expect([result.timedOut, result.signal]).toEqual([true, 'SIGKILL'])
})

test('does not start when aborted before, and ends when aborted later', async () => {
  expect(await runProcess('true', [], { ...BASE, signal: AbortSignal.abort() })).toMatchObject({
    aborted: true,
    exitCode: null,
  })

  const stop = new AbortController()
  const result = await runProcess('sleep', ['100'], {
    ...BASE,
    signal: stop.signal,
    onSpawn: () => stop.abort(),
  })
  expect([result.aborted, result.signal]).toEqual([true, 'SIGTERM'])
})

test('leaves no child behind, neither one of the group nor one that left it', async () => {
  await using files = await createFixture({})
  const heartbeat = (name: string) => `while :; do echo beat >> ${name}; sleep 0.02; done`
  const script = `
    (${heartbeat('group')}) &
    setsid sh -c '${heartbeat('daemon')}' >/dev/null 2>&1 &
    until [ -e group ] && [ -e daemon ]; do sleep 0.02; done`
  const tag = `AGENT_EVALS_RUN=test-${process.pid}`
  const result = await runProcess('sh', ['-c', script], {
    ...BASE,
    env: { ...BASE.env, AGENT_EVALS_RUN: tag.split('=')[1] ?? '' },
    cwd: files.path,
    tag,
  })
  expect(result.exitCode).toBe(0)

  const sizes = () => ['group', 'daemon'].map((name) => readFileSync(files.getPath(name)).length)
  const before = sizes()
  await sleep(100)
  expect(sizes()).toEqual(before)
})

test('returns although an untagged daemon holds its output open', async () => {
  await using files = await createFixture({})
  const script = 'setsid sh -c "echo $$ > pid; sleep 30" & until [ -s pid ]; do sleep 0.02; done; echo done'
  const result = await runProcess('sh', ['-c', script.replace('$$', '\\$\\$')], {
    ...BASE,
    cwd: files.path,
  })
  process.kill(-Number(readFileSync(files.getPath('pid'), 'utf8')), 'SIGKILL')

  expect(result.stdoutTail).toBe('done\n')
  expect(existsSync(files.path)).toBe(true)
})
