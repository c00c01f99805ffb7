// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readHostLayout } from '../../src/sandbox/host-layout.ts'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { USERS, vitestOf } from '../support/another-user.ts'
import { sandboxRuntimeFolder } from '../support/other-engines.ts'
import { processesWith } from '../support/processes.ts'
import type { RunningProcess } from '../support/running-process.ts'
import { installedEngines, variablesOf, type InstalledEngine } from '../support/conformance/matrix.ts'
import { durableProject, outcomes, type DurableProject } from '../support/durable-project.ts'
import { findRemains, NOTHING, type Remains } from '../support/remains.ts'

/** How a run can end before its sessions do. */
const ENDINGS = [
  { name: 'a timeout', exitCode: 1, verdict: 'ERROR timed-out' },
  { name: 'Ctrl-C', exitCode: 130, verdict: 'ERROR interrupted' },
  { name: 'Ctrl-C twice', exitCode: 130, verdict: 'ERROR interrupted' },
  { name: 'kill -9 of the worker', exitCode: 1, verdict: 'ERROR interrupted' },
  // Its report is written by the next start.
  { name: 'kill -9 of the parent', exitCode: null, verdict: null },
] as const

const engines = await installedEngines()
const bubblewrap = await probeBubblewrap(process.env)
// Root may not use sandbox-runtime, so that root's tests become another user. On Linux it needs socat.
const runtimeUser = USERS.at(-1)!
const isComplete = process.platform !== 'linux' || readHostLayout().hasSocat
const hasRuntime = isComplete && (process.getuid?.() !== 0 || runtimeUser !== 'this user')
const SANDBOXES = [...(bubblewrap.works ? ['bubblewrap'] : []), 'none', ...(hasRuntime ? ['sandbox-runtime'] : [])]
const ROWS = ENDINGS.flatMap((ending) => SANDBOXES.map((sandbox) => ({ ...ending, sandbox })))
const title = `no process, socket, mount or folder is left${bubblewrap.works ? '' : ` (not tried in bubblewrap: ${bubblewrap.reason})`}`

describe(title, { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test.for(ROWS)('A6, A7, S1 and S6: by any engine after $name, in the sandbox $sandbox', async (row) => {
    const isRuntime = row.sandbox === 'sandbox-runtime'
    await using vitest = await vitestOf(isRuntime ? runtimeUser : 'this user')
    await using durable = await durableProject(
      vitest.major,
      {},
      {
        pool: row.name === 'kill -9 of the worker' ? 'forks' : 'threads',
        plugin: {
          sandbox: row.sandbox,
          concurrency: engines.length,
          engines: Object.fromEntries(engines.map(({ name, path }) => [name, path])),
          // Each session there takes a program of its own to begin with.
          ...(row.name === 'a timeout' ? { timeout: isRuntime ? 40 : 20 } : {}),
        },
        files: { 'evals/cases/hangs.yaml': CASE, ...SCENARIOS },
      },
    )
    vitest.own(durable.project, durable.temporary)
    const run = durable.start([], {
      AGENT_EVALS_ENGINE: engines.map(({ name }) => name).join(),
      ...(await variablesOf(engines)),
      ...(isRuntime ? { AGENT_EVALS_ENGINES: await sandboxRuntimeFolder() } : {}),
    })
    // There no program can open a unix socket.
    await sessionsWork(durable, run, isRuntime ? SLEEPS : [...SLEEPS, 'node -e'])
    const owners = await durable.processes(/./)
    const remains = (): Remains => findRemains({ ...durable, owners })
    expect(remains().processes.length).toBeGreaterThan(0)
    expect(remains().folders.length).toBeGreaterThan(engines.length)

    if (row.name === 'Ctrl-C' || row.name === 'Ctrl-C twice') run.send('SIGINT')
    if (row.name === 'Ctrl-C twice') setTimeout(() => run.send('SIGINT'), 300)
    if (row.name === 'kill -9 of the parent') process.kill(run.pid, 'SIGKILL')
    if (row.name === 'kill -9 of the worker')
      process.kill((await durable.processes(/workers\/forks\.js/))[0]!, 'SIGKILL')
    const finished = await run.finished
    // A second Ctrl-C may come when everything but the process has ended, which a shell calls 130 too.
    const exitCode = finished.signal === 'SIGINT' ? 130 : finished.exitCode
    expect(exitCode, finished.all).toBe(row.exitCode)
    await expect.poll(remains, { timeout: 20_000 }).toEqual(NOTHING)
    expect((await durable.reports()).flatMap(outcomes).toSorted(), finished.all).toEqual(
      row.verdict === null ? [] : engines.map(({ name }) => `hangs (${name}) ${row.verdict}`),
    )
  })
})

const CASE = 'name: hangs\ninput:\n  prompt: Go.\njudge:\n  criteria: It does as it was told.\n'

// In its group, in a session of its own, deaf to SIGTERM, twice forked, and with a name that the whole machine can see.
const SOCKETS =
  'const { createServer } = require("node:net"); for (const path of ["\\0" + process.env.DURABLE + process.pid, process.env.TMPDIR + "/" + process.env.DURABLE]) createServer().listen(path)'
const COMMAND = [
  'sleep 4301 &',
  'setsid sleep 4302 &',
  `nohup setsid sh -c 'trap "" TERM HUP INT; sleep 4303; true' >/dev/null 2>&1 &`,
  `(setsid sh -c 'sleep 4304 & exit' &)`,
  // Without a variable; what it is called is for this test alone.
  '(setsid env -i sh -c "sleep 4306; : $DURABLE" >/dev/null 2>&1 &)',
  `node -e '${SOCKETS}' >/dev/null 2>&1 &`,
  'trap "" TERM; sleep 4305; true',
].join('\n')

const SCENARIOS = Object.fromEntries(
  engines.map(({ name, waitFor }) => [
    `evals/scenarios/hangs.${name}.yaml`,
    JSON.stringify({ turns: [{ tools: [waitFor(COMMAND)] }, ...waits(waitFor), 'done'] }),
  ]),
)

// Codex waits for half a minute only, in which a busy machine may not have started the others.
function waits(waitFor: InstalledEngine['waitFor']): readonly object[] {
  return Array.from({ length: 6 }, () => ({ tools: [waitFor('sleep 4307')] }))
}

const SLEEPS = ['sleep 4301', 'sleep 4302', 'sleep 4303', 'sleep 4304', 'sleep 4305'] as const

/** Waits until the command of every engine has started all that it starts; throws when the run ends before. */
async function sessionsWork(durable: DurableProject, run: RunningProcess, all: readonly string[]): Promise<void> {
  let hasEnded = false
  void run.finished.finally(() => (hasEnded = true))
  const daemon = `sleep 4306; : ${durable.mark}`
  const missing = async (): Promise<readonly string[]> => {
    const commands = await durable.alive()
    const count = (wanted: RegExp): number => commands.filter((command) => wanted.test(command)).length
    const few = all.filter((command) => count(new RegExp(`^(?:\\S*/)?${command}`)) < engines.length)
    return processesWith(daemon).length < engines.length ? [...few, daemon] : few
  }
  for (let few = await missing(); few.length > 0; few = await missing()) {
    if (hasEnded)
      throw new Error(
        `The run ended before all sessions worked; lastly ${few.join(', ')} were too few:\n${run.output()}`,
      )
    await wait(50)
  }
}
