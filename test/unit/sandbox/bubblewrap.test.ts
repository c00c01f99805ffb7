// @module-tag slow
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { runProcess } from '../../../src/sandbox/process/run-process.ts'
import { sandboxCommand, sandboxPaths } from '../../../src/sandbox/decide.ts'
import { readHostLayout } from '../../../src/sandbox/host-layout.ts'
import { probeBubblewrap } from '../../../src/sandbox/bubblewrap/command.ts'
import { runSandboxed, type SessionResult } from '../../../src/sandbox/run.ts'
import { openSession, type Session } from '../../support/sandbox-session.ts'
import type { SandboxDecision } from '../../../src/sandbox/sandbox.ts'

const isRoot = process.getuid?.() === 0
const probe = await probeBubblewrap(process.env)
const decision: SandboxDecision = {
  backend: 'bubblewrap',
  asked: 'bubblewrap',
  enforced: 'bubblewrap',
  notice: null,
  ...(probe.works ? { found: probe.found } : {}),
}

describe.skipIf(!probe.works)(`in bubblewrap${probe.works ? '' : ` (skipped: ${probe.reason})`}`, () => {
  test('shows no timers, memory or keys of the whole machine', async () => {
    await using session = await openSession(decision)
    const { stdoutTail } = await session.shell(
      'for file in keys slabinfo timer_list vmallocinfo; do cat /proc/$file 2>/dev/null; done; echo end',
    )
    expect(stdoutTail).toBe('end\n')
  })

  test('gives exactly the environment that was asked for and its own base', async () => {
    await using session = await openSession(decision)
    const { stdoutTail } = await session.shell('env | sort', { env: { MINE: 'a\nb', TERM: 'xterm' } })

    expect(stdoutTail).toMatchInlineSnapshot(`
      "HOME=/home/agent
      LANG=C.UTF-8
      LOGNAME=agent
      MINE=a
      PATH=/opt/agent-evals/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
      PWD=/workspace
      SHELL=/bin/bash
      TERM=xterm
      TMPDIR=/tmp
      USER=agent
      b
      "
    `)
  })

  test('looks the same on every machine', async () => {
    await using session = await openSession(decision)
    const script = 'id; whoami; hostname; pwd; ls -ld . "$HOME" | cut -d" " -f3-4'
    const { stdoutTail, stderrTail } = await session.shell(script)

    expect(stdoutTail + stderrTail).toMatchInlineSnapshot(`
      "uid=1000(agent) gid=1000(agent) groups=1000(agent)
      agent
      agent-evals
      /workspace
      agent agent
      agent agent
      "
    `)
  })

  test('lets the session write its workspace, home, config, hooks and tmp, and nothing else', async () => {
    await using session = await openSession(decision)
    writeFileSync(`${session.root}/secret`, 'not for the agent')
    const writable = ['/workspace', '/home/agent', '/home/agent/.engine', '/run/agent-evals/hooks', '/tmp', '/dev/shm']
    const closed = ['/', '/etc', '/usr', '/opt', '/opt/agent-evals/package', '/run', '/home', '/var', '/dev', '/root']
    const places = [...writable, ...closed, '/proc/sys/kernel', session.root, process.cwd()]
    const script = `for d in ${places.map((place) => `'${place}'`).join(' ')}; do
      if (echo x > "$d/probe") 2>/dev/null; then echo "$d"; fi; done
      (echo x > /proc/sys/kernel/core_pattern) 2>/dev/null && echo core_pattern
      (echo x >> /opt/agent-evals/bin/node) 2>/dev/null && echo node
      echo end`
    const { stdoutTail } = await session.shell(script)

    expect(stdoutTail.split('\n')).toEqual([...writable, 'end', ''])
    expect(readFileSync(session.workspace('probe'), 'utf8')).toBe('x\n')
    expect(existsSync(`${session.root}/config/probe`)).toBe(true)
  })

  test('hands on no open file of the host', async () => {
    await using session = await openSession(decision)
    const list = 'ls -l /proc/$$/fd; true'
    const openOf = (listed: string) => listed.split('\n').flatMap((line) => / (\d+ -> .*)/.exec(line)?.[1] ?? [])
    // The shell that started the tests may have left descriptors open.
    const inherited = openOf(spawnSync('/bin/sh', ['-c', list], { encoding: 'utf8' }).stdout)
    const open = openOf((await session.shell(list)).stdoutTail)

    expect(open.length).toBeGreaterThanOrEqual(3)
    expect(open.filter((line) => !/^[012] |\/dev\/null$/.test(line) && !inherited.includes(line))).toEqual([])
  })

  test('offers a decoy of /etc in which a write succeeds and harms nothing', async () => {
    await using session = await openSession(decision)
    const { stdoutTail } = await session.shell('echo pwned > /etc/config.txt && cat /etc/config.txt; whoami', {
      decoyEtc: true,
    })

    expect(stdoutTail).toBe('pwned\nagent\n')
    expect(existsSync('/etc/config.txt')).toBe(false)
  })

  test('lets the session write only the folders that are listed', async () => {
    await using session = await openSession(decision)
    const script = `for f in README.md src/deep/a output/b other/c; do
      mkdir -p "$(dirname $f)" 2>/dev/null; (echo x > $f) 2>/dev/null && echo $f; done; mv src/deep renamed 2>/dev/null && echo moved; echo end`
    const { stdoutTail } = await session.shell(script, { writablePaths: ['src/deep/', './output/**'] })

    expect(stdoutTail).toBe('src/deep/a\noutput/b\nend\n')
    expect(existsSync(session.workspace('output/b'))).toBe(true)
  })

  test.for(['../out', '/etc', 'link/inside', 'link', 'a/../../b', 'file/x', 'nul\0byte'])(
    'refuses the writable path %j',
    async (path) => {
      await using session = await openSession(decision)
      await symlink('/tmp', session.workspace('link'))
      writeFileSync(session.workspace('file'), '')

      expect(() => session.shell('true', { writablePaths: [path] })).toThrow(
        expect.objectContaining({ code: 'unsafe-path' }),
      )
    },
  )

  test('refuses a null byte, which would be read as further options', async () => {
    await using session = await openSession(decision)
    expect(() => session.shell('true', { env: { A: 'x\0--bind\0/\0/host' } })).toThrow(
      expect.objectContaining({ code: 'invalid-suite' }),
    )
  })

  test('does not load what the environment of a case names into bwrap itself', async () => {
    await using session = await openSession(decision)
    const { stderrTail, exitCode } = await session.shell('echo ran', { env: { LD_PRELOAD: '/nowhere/evil.so' } })

    expect(exitCode).toBe(0)
    expect(stderrTail).not.toContain('bwrap')
  })

  test('reaches the gateway by its socket and nothing of the network', async () => {
    await using session = await openSession(decision)
    const script = `
      curl -s --unix-socket /run/agent-evals/gateway.sock http://gateway.invalid/
      curl -s http://127.0.0.1:${session.request.gatewayPort}/ || echo "host loopback: $?"
      curl -s http://example.com/ || echo "name: $?"
      curl -s --max-time 2 http://192.0.2.1/ || echo "address: $?"
      cat /proc/net/dev | grep -c :`
    const { stdoutTail } = await session.shell(script)

    expect(stdoutTail).toBe('the gateway\nhost loopback: 7\nname: 6\naddress: 7\n1\n')
  })

  test.for([true, false])('reaches the gateway by TCP through a bridge (socat: %s)', async (hasSocat, { skip }) => {
    skip(hasSocat && !readHostLayout().hasSocat, 'socat is not installed')
    await using session = await openSession(decision)
    const paths = sandboxPaths(decision, { ...session.request, bridge: true, shim: '/shim.js' })
    const { stdoutTail, stderrTail } = await session.shell(
      `curl -s ${paths.gatewayUrl}/; curl -s ${paths.gatewayUrl}/`,
      { bridge: true },
      {},
      { layout: { ...readHostLayout(), hasSocat } },
    )

    expect([paths.gatewayUrl, stdoutTail, stderrTail]).toEqual([
      'http://127.0.0.1:4100',
      'the gateway\nthe gateway\n',
      '',
    ])
  })

  test('keeps the network of the host when asked to', async () => {
    await using session = await openSession(decision)
    const change = { network: true, bridge: true }
    const paths = sandboxPaths(decision, { ...session.request, ...change, shim: '/shim.js' })
    const { stdoutTail } = await session.shell(
      `curl -s ${paths.gatewayUrl}/; test -e /etc/resolv.conf && grep -q localhost /etc/hosts && ls /etc/ssl/certs >/dev/null && echo resolvable`,
      change,
    )

    expect(stdoutTail).toBe('the host\nresolvable\n')
  })

  test('offers node on PATH and the package read-only', async () => {
    await using session = await openSession(decision)
    await mkdir(`${session.root}/package`)
    writeFileSync(`${session.root}/package/hello.js`, 'console.log("hello from", __dirname)')
    const { stdoutTail } = await session.shell('command -v node; node /opt/agent-evals/package/hello.js')

    expect(stdoutTail).toBe('/opt/agent-evals/bin/node\nhello from /opt/agent-evals/package\n')
  })

  test('works in a folder with spaces and an emoji', async () => {
    await using session = await openSession(decision, 'my run 🦊 "quoted" $HOME')
    const { stdoutTail, setupError } = await session.shell('echo x > out; pwd', { writablePaths: ['a b 🦊', '.'] })

    expect([stdoutTail, setupError]).toEqual(['/workspace\n', null])
    expect(existsSync(session.workspace('out'))).toBe(true)
  })

  test('gives the exit code of the engine', async () => {
    await using session = await openSession(decision)
    expect(await session.shell('exit 42')).toMatchObject({ exitCode: 42, setupError: null })
  })

  test('tells an engine that failed from a sandbox that could not be set up', async () => {
    await using session = await openSession(decision)
    const result = await session.shell('true', { readOnly: [{ from: '/nowhere', to: '/opt/x' }] })

    expect(result.setupError).toMatchInlineSnapshot(
      `"bwrap: Can't find source path /nowhere: No such file or directory"`,
    )
  })

  test('passes standard input and gives out lines as they come', async () => {
    await using session = await openSession(decision)
    const lines: string[] = []
    await session.shell('cat; echo end', {}, { stdin: 'one\ntwo\n', onLine: (line) => lines.push(line) })

    expect(lines).toEqual(['one', 'two', 'end'])
  })

  test.for(['ends by itself', 'is killed with bwrap'])('leaves no daemon behind when it %s', async (how) => {
    await using session = await openSession(decision)
    const killed = how === 'is killed with bwrap'
    let pid = 0
    const script = `
      setsid sh -c 'while :; do echo beat >> beats; sleep 0.02; done' >/dev/null 2>&1 </dev/null &
      until [ -s beats ]; do sleep 0.02; done
      echo started; ${killed ? 'sleep 100' : ''}`
    const onSpawn = (started: number): void => {
      pid = started
    }
    const onLine = (): void => {
      if (killed) process.kill(pid, 'SIGKILL')
    }
    const result = await session.shell(script, {}, { onSpawn, onLine })
    const before = readFileSync(session.workspace('beats')).length
    await sleep(100)

    expect(readFileSync(session.workspace('beats')).length).toBe(before)
    expect(result).toMatchObject({ stdoutTail: 'started\n', signal: killed ? 'SIGKILL' : null })
  })

  test.runIf(isRoot)('works for a user without rights', async () => {
    await using session = await openSession(decision)
    const script = 'id -un; echo x > out; curl -s --unix-socket /run/agent-evals/gateway.sock http://g/'
    const result = await shellAsNobody(session, script)

    expect([result.stdoutTail, result.stderrTail]).toEqual(['agent\nthe gateway\n', ''])
    expect(statSync(session.workspace('out')).uid).toBe(65534)
  })

  test('kills the whole tree at the deadline', async () => {
    await using session = await openSession(decision)
    const script = `trap '' TERM INT HUP; (while :; do echo beat >> beats; sleep 0.02; done) & sleep 100`
    const result = await session.shell(script, {}, { deadlineMs: 400 })
    const before = readFileSync(session.workspace('beats')).length
    await sleep(100)

    expect(readFileSync(session.workspace('beats')).length).toBe(before)
    expect(result).toMatchObject({ timedOut: true, setupError: null })
  })

  test('bounds processes and file sizes', async () => {
    await using session = await openSession(decision)
    const { stdoutTail } = await session.shell(
      "grep -E '^Max (processes|file size|core)' /proc/self/limits | tr -s ' '",
    )

    expect(stdoutTail).toMatchInlineSnapshot(`
      "Max file size 1073741824 1073741824 bytes 
      Max core file size 0 0 bytes 
      Max processes 1024 1024 processes 
      "
    `)
  })

  // The kernel exempts root from this bound.
  test('stops a fork bomb of another user than root', { timeout: 60_000 }, async () => {
    await using session = await openSession(decision)
    const script = 'i=0; while [ $i -lt 3000 ]; do sleep 20 & i=$((i+1)); done; echo no limit'
    const result = await (isRoot ? shellAsNobody(session, script) : session.shell(script))

    expect([result.stdoutTail, result.stderrTail]).toEqual(['', expect.stringContaining('Cannot fork')])
    expect(result.exitCode).toBe(2)
  })

  test('starts the real claude', { timeout: 30_000 }, async () => {
    await using session = await openSession(decision)
    const executable = createRequire(import.meta.url).resolve('@anthropic-ai/claude-code/bin/claude.exe')
    const paths = sandboxPaths(decision, { ...session.request, executable, shim: '/shim.js' })
    const result = await session.shell('', { executable, arguments: ['--version'] })

    expect(paths.executable).toBe('/opt/agent-evals/engine/bin/claude')
    expect(result.stderrTail).toBe('')
    expect(result.stdoutTail).toMatch(/^\d+\.\d+\.\d+ \(Claude Code\)\n$/)
  })
})

/** Hands root's own files to the nobody-like user, who then starts bwrap itself. */
async function shellAsNobody({ request }: Session, script: string): Promise<SessionResult> {
  const command = sandboxCommand(decision, { ...request, arguments: ['-c', script] })
  const options = { env: { PATH: '/usr/bin:/bin' }, cwd: '/' }
  await runProcess('chown', ['-R', '65534:65534', dirname(request.gatewaySocket)], options)
  const args = ['--reuid=65534', '--regid=65534', '--clear-groups', command.file, ...command.arguments]
  return runSandboxed({ ...command, file: '/usr/bin/setpriv', arguments: args }, {})
}

test('what an open network opens is said at the option, in its page and in SECURITY.md', () => {
  const root = join(import.meta.dirname, '../../..')
  for (const file of ['schemas/eval-config.schema.json', 'docs/sandbox.md', 'SECURITY.md']) {
    const about = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('network'))
      .join('\n')
    expect(about, file).toContain('loopback')
    expect(about, file).toMatch(/abstract sockets?/)
  }
})
