import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a script of bash: milliseconds it took, and milliseconds that it and its children computed. */
export async function measure(script, { cwd, env = process.env }) {
  const startedAt = performance.now()
  // The shell tells what its children have computed; Node cannot.
  const child = spawn('bash', ['-c', `${CLOSE}\n${script}\ncode=$?; times >&2; exit $code`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(output + stderr)
  const seconds = [...stderr.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return { wall: performance.now() - startedAt, cpu: seconds.reduce((sum, one) => sum + one, 0) * 1000, output }
}

// As in a terminal: what started this may have left descriptors open, and each costs whoever has to close it.
const CLOSE = 'for fd in /proc/$$/fd/*; do n=${fd##*/}; [ "$n" -gt 2 ] && [ "$n" -ne 255 ] && eval "exec $n>&-"; done'
