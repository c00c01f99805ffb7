// @module-tag claude-code
// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { decideSandbox } from '../../src/sandbox/decide.ts'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { sandboxRuntimeFolder } from '../support/other-engines.ts'
import { CACHE, REPOSITORY } from '../support/repository.ts'

interface Escape {
  readonly uid: number
  readonly exitCode: number | null
  readonly results: readonly { readonly name: string; readonly allowed: boolean; readonly detail: string }[]
  readonly stderrTail: string
  /** Processes that a session left behind. */
  readonly daemons: readonly string[]
}

interface Way {
  readonly sandbox: string
  /** How an engine that knows no sockets reaches the gateway. */
  readonly bridge: 'socat' | 'node' | null
}

const ANOTHER = ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const bubblewrap = await probeBubblewrap(process.env)
const skipped = reasonToSkip()
const isRoot = process.getuid?.() === 0
const dist = skipped === null ? await compileSources() : ''
const hasSocat = existsSync('/usr/bin/socat')
const NONE: Way = { sandbox: 'none', bridge: null }
const CONFINED: readonly Way[] = [
  { sandbox: 'bubblewrap', bridge: null },
  ...(hasSocat ? [{ sandbox: 'bubblewrap', bridge: 'socat' } as const] : []),
  { sandbox: 'bubblewrap', bridge: 'node' },
]
const RUNTIME: Way = { sandbox: 'sandbox-runtime', bridge: null }
/** Parts of the kernel that need no rights. */
const LET_THROUGH = [
  'trace an own process',
  'use the keyring',
  'use userfaultfd',
  'make a segment of memory that outlives it',
  'use native asynchronous I/O',
]
/** Bubblewrap filters no system calls. */
const LET_THROUGH_BY_BUBBLEWRAP = [...LET_THROUGH, 'open a vsock', 'use io_uring']
/** On Linux sandbox-runtime filters few system calls, and its `/etc` is a throw-away. */
const LET_THROUGH_BY_RUNTIME = [...LET_THROUGH, 'write /etc']
/** Of the 59 probes these are no escape. */
const INTENDED = [
  'intended: write below the first writable path',
  'intended: write below the second writable path',
  'intended: write a temporary file',
  'intended: ask the gateway',
]
/** What would change the machine, or leave it, where nothing confines it. */
const NOT_UNCONFINED = ['write /etc', 'write /usr', 'ask a name server', 'ask for the metadata of a cloud']

describe.skipIf(skipped !== null)(`59 ways out of a session${skipped === null ? '' : ` (skipped: ${skipped})`}`, () => {
  test.for([
    { user: 'this user', as: [] as readonly string[] },
    ...(isRoot ? [{ user: 'another user', as: ANOTHER }] : []),
  ])('are closed in every sandbox, but for the four that are meant, as $user', async ({ as }) => {
    const size = sizeOnHost()
    const control = await escape(NONE, as)
    const ways = control.uid === 0 || !hasSocat ? CONFINED : [...CONFINED, RUNTIME]
    const confined: Escape[] = []
    for (const way of ways) confined.push(await escape(way, as))

    for (const [index, { results, exitCode, daemons, stderrTail }] of confined.entries()) {
      expect({ exitCode, stderrTail, daemons }).toEqual({ exitCode: 0, stderrTail: '', daemons: [] })
      expect(results).toHaveLength(59)
      // Some of it a kernel may refuse to everybody.
      const isOpen = (name: string): boolean => isAllowed(control, name) || NOT_UNCONFINED.includes(name)
      const through = ways[index] === RUNTIME ? LET_THROUGH_BY_RUNTIME : LET_THROUGH_BY_BUBBLEWRAP
      expect(allowedOf({ results }).toSorted()).toEqual([...INTENDED, ...through.filter(isOpen)].toSorted())
    }
    expect(sizeOnHost()).toBe(size)
    // Without a sandbox the same probes do succeed, or their refusal would prove nothing.
    expect(control.results).toHaveLength(59 - NOT_UNCONFINED.length)
    expect(allowedOf(control).length).toBeGreaterThanOrEqual(23)
    expect(control.daemons).toEqual([])
  })

  test.runIf(isRoot)('are not tried as root in sandbox-runtime, which leaves /proc/sys open then', async () => {
    const place = { environment: process.env, root: await sandboxRuntimeFolder() }
    await expect(decideSandbox('sandbox-runtime', place)).rejects.toThrow('Run as another user')
  })
})

function allowedOf({ results }: Pick<Escape, 'results'>): readonly string[] {
  return results.filter(({ allowed }) => allowed).map(({ name }) => name)
}

/** Of the file that the probes write where `/etc` can be written. */
function sizeOnHost(): number | undefined {
  return statSync('/etc/agent-evals-escape', { throwIfNoEntry: false })?.size
}

function isAllowed(escaped: Escape, name: string): boolean {
  return allowedOf(escaped).includes(name)
}

// As single modules, which what is built is not.
async function compileSources(): Promise<string> {
  const folder = join(CACHE, 'sources')
  await promisify(execFile)(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', 'src', '--outDir', folder], {
    cwd: REPOSITORY,
  })
  return folder
}

async function escape({ sandbox, bridge }: Way, as: readonly string[]): Promise<Escape> {
  const asked = {
    sandbox,
    bridge,
    dist,
    root: await sandboxRuntimeFolder(),
    probes: join(import.meta.dirname, '../support/escape/probes.pl'),
    skipped: sandbox === 'none' ? NOT_UNCONFINED.map((name) => `<${name}>`) : [],
  }
  const [file, ...args] = [...as, process.execPath, join(import.meta.dirname, '../support/escape/run-probes.mjs')]
  const { stdout } = await promisify(execFile)(file, [...args, JSON.stringify(asked)], { cwd: '/' })
  return JSON.parse(stdout) as Escape
}

function reasonToSkip(): string | null {
  if (!bubblewrap.works) return bubblewrap.reason
  return existsSync('/usr/bin/perl') ? null : 'the probes are written in Perl, and there is none'
}
