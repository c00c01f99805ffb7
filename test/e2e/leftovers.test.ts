// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { repositoryVitest } from '../support/majors.ts'
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

const installed = await installedEngines()
const bubblewrap = await probeBubblewrap(process.env)
// `sandbox-runtime.test.ts` tries the other sandbox.
const SANDBOXES = [...(bubblewrap.works ? ['bubblewrap'] : []), 'none']
// A second Ctrl-C is the business of the main process alone. In bubblewrap all of a session ends with one process.
const ROWS = ENDINGS.flatMap((ending) =>
  SANDBOXES.filter((sandbox) => ending.name !== 'Ctrl-C twice' || sandbox === 'none').map((sandbox) => ({
    ...ending,
    sandbox,
    engines: sandbox === 'none' ? installed : installed.slice(0, 1),
  })),
)
const title = `no process, socket, mount or folder is left${bubblewrap.works ? '' : ` (not tried in bubblewrap: ${bubblewrap.reason})`}`

describe(title, { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test.for(ROWS)('A6, A7, S1 and S6: by any engine after $name, in the sandbox $sandbox', async (row) => {
    const { engines } = row
    await using durable = await durableProject(
      repositoryVitest(),
      {},
      {
        pool: row.name === 'kill -9 of the worker' ? 'forks' : 'threads',
        plugin: {
          sandbox: row.sandbox,
          concurrency: engines.length,
          engines: Object.fromEntries(engines.map(({ name, path }) => [name, path])),
          ...(row.name === 'a timeout' ? { timeout: 60 } : {}),
        },
        files: { 'evals/cases/hangs.yaml': CASE, ...SCENARIOS },
      },
    )
    const run = durable.start([], {
      AGENT_EVALS_ENGINE: engines.map(({ name }) => name).join(),
      ...(await variablesOf(engines)),
    })
    await sessionsWork(durable, run, engines)
    const remains = (): Remains => findRemains(durable)
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
    await expect.poll(remains, { timeout: 60_000 }).toEqual(NOTHING)
    expect((await durable.reports()).flatMap(outcomes).toSorted(), finished.all).toEqual(
      row.verdict === null
        ? []
        : engines.map(({ name }) => `hangs${engines.length === 1 ? '' : ` (${name})`} ${row.verdict}`),
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
  `node -e '${SOCKETS}' >/dev/null 2>&1 &`,
  'trap "" TERM; sleep 4305; true',
].join('\n')

const SCENARIOS = Object.fromEntries(
  installed.map(({ name, waitFor }) => [
    `evals/scenarios/hangs.${name}.yaml`,
    JSON.stringify({ turns: [{ tools: [waitFor(COMMAND)] }, ...waits(waitFor), 'done'] }),
  ]),
)

// Codex waits for half a minute only, in which a busy machine may not have started the others.
function waits(waitFor: InstalledEngine['waitFor']): readonly object[] {
  return Array.from({ length: 6 }, () => ({ tools: [waitFor('sleep 4307')] }))
}

const ALL = ['sleep 4301', 'sleep 4302', 'sleep 4303', 'sleep 4304', 'sleep 4305', 'node -e'] as const

/** Waits until the command of every engine has started all that it starts; throws when the run ends before. */
async function sessionsWork(
  durable: DurableProject,
  run: RunningProcess,
  engines: readonly InstalledEngine[],
): Promise<void> {
  let hasEnded = false
  void run.finished.finally(() => (hasEnded = true))
  const missing = async (): Promise<readonly string[]> => {
    const commands = await durable.alive()
    const count = (wanted: RegExp): number => commands.filter((command) => wanted.test(command)).length
    return ALL.filter((command) => count(new RegExp(`^(?:\\S*/)?${command}`)) < engines.length)
  }
  for (let few = await missing(); few.length > 0; few = await missing()) {
    if (hasEnded)
      throw new Error(
        `The run ended before all sessions worked; lastly ${few.join(', ')} were too few:\n${run.output()}`,
      )
    await wait(200)
  }
}
