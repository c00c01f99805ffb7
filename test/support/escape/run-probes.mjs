// Runs the probes in a session of the compiled sources and prints what each came to, as JSON. A program of its own, so
// that it can be run as another user.
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { dist, probes, sandbox, bridge, skipped, root: project } = JSON.parse(process.argv[2])
const load = (file) => import(pathToFileURL(join(dist, 'sandbox', file)).href)
const [{ decideSandbox, sandboxCommand, sandboxPaths }, { runSandboxed }, { readHostLayout }] = await Promise.all(
  ['decide.js', 'run.js', 'host-layout.js'].map(load),
)

const base = mkdtempSync(join(tmpdir(), 'escape-'))
const daemon = `98${process.pid}`
const holder = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, ESCAPE_SECRET: 'a secret' }, stdio: 'ignore' })
try {
  const host = await prepareHost(join(base, 'private'))
  const root = join(base, 'run')
  prepareWorkspace(join(root, 'workspace'))
  const confined = sandbox !== 'none'
  const decision = await decideSandbox(sandbox, { environment: process.env, inContainer: false, root: project })
  const place = {
    executable: '/usr/bin/perl',
    root,
    network: false,
    gatewaySocket: host.gatewaySocket,
    gatewayPort: host.gatewayPort,
    bridge: bridge !== null,
  }
  const { gatewaySocket, gatewayUrl } = sandboxPaths(decision, { ...place, shim: '' })
  const gateway = bridge === null && gatewaySocket !== null ? gatewaySocket : new URL(gatewayUrl).port
  const facts = { ...host, gateway, daemon, pid: holder.pid, confined: confined ? 1 : 0, skipped: skipped.join('') }
  const command = sandboxCommand(
    decision,
    {
      ...place,
      arguments: ['probes.pl', ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)],
      env: {},
      readOnly: [],
      writablePaths: ['src/', 'output/'],
      decoyEtc: false,
    },
    { layout: { ...readHostLayout(), hasSocat: bridge === 'socat' } },
  )
  const { stdoutTail, stderrTail, exitCode } = await runSandboxed(command, { deadlineMs: 120_000 })
  const results = stdoutTail.split('\n').flatMap(readResult)
  console.log(JSON.stringify({ uid: process.getuid(), results, exitCode, stderrTail, daemons: processesWith(daemon) }))
} finally {
  holder.kill('SIGKILL')
  rmSync(base, { recursive: true, force: true })
}
process.exit(0)

async function prepareHost(folder) {
  for (const name of ['home/.ssh', 'home/.aws', 'tmp', 'evals']) mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['home/.ssh/id_ed25519', 'home/.aws/credentials', 'secret']) {
    writeFileSync(join(folder, name), 'a secret')
  }
  const gatewaySocket = join(base, 'gateway.sock')
  const abstract = `agent-evals-escape-${process.pid}`
  const addresses = Object.values(networkInterfaces()).flat()
  const udp = createSocket('udp4')
  udp.on('message', (message, from) => udp.send(message, from.port, from.address))
  await new Promise((resolve) => udp.bind(0, '127.0.0.1', resolve))
  await listen({ path: gatewaySocket })
  await listen({ path: join(folder, 'docker.sock') })
  await listen({ path: `\0${abstract}` })
  return {
    private: folder,
    gatewaySocket,
    abstract,
    udp: udp.address().port,
    gatewayPort: await listen({ host: '127.0.0.1', port: 0 }),
    tcp: await listen({ host: '127.0.0.1', port: 0 }),
    tcp6: await listen({ host: '::1', port: 0 }).catch(() => ''),
    address: addresses.find((one) => one.family === 'IPv4' && !one.internal)?.address ?? '',
    everywhere: await listen({ host: '0.0.0.0', port: 0 }),
  }
}

async function listen(where) {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).end('hello\n'))
  await new Promise((resolve, reject) => server.once('error', reject).listen(where, resolve))
  return server.address().port
}

function prepareWorkspace(workspace) {
  for (const name of ['src', 'output', 'other']) mkdirSync(join(workspace, name), { recursive: true })
  writeFileSync(join(workspace, 'README'), 'as it was')
  copyFileSync(probes, join(workspace, 'probes.pl'))
}

function readResult(line) {
  const [name, outcome, detail] = line.split('\t')
  return outcome === undefined ? [] : [{ name, allowed: outcome === 'allowed', detail }]
}

function processesWith(text) {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(text)
    } catch {
      return false
    }
  })
}
