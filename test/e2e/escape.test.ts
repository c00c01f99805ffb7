import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/probe.ts'
import { REPOSITORY } from '../support/repository.ts'

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
const CONFINED: readonly Way[] = [
  { sandbox: 'bubblewrap', bridge: null },
  ...(existsSync('/usr/bin/socat') ? [{ sandbox: 'bubblewrap', bridge: 'socat' } as const] : []),
  { sandbox: 'bubblewrap', bridge: 'node' },
]
/** Of the 57 probes these are no escape. */
const INTENDED = [
  'intended: write below the first writable path',
  'intended: write below the second writable path',
  'intended: write a temporary file',
  'intended: ask the gateway',
]
/** What would change the machine, or leave it, where nothing confines it. */
const NOT_UNCONFINED = ['write /etc', 'write /usr', 'ask a name server', 'ask for the metadata of a cloud']

describe.skipIf(skipped !== null)(`57 ways out of a session${skipped === null ? '' : ` (skipped: ${skipped})`}`, () => {
  test.for([
    { user: 'this user', as: [] as readonly string[] },
    ...(isRoot ? [{ user: 'another user', as: ANOTHER }] : []),
  ])('are closed in every sandbox, but for the four that are meant, as $user', async ({ user, as }) => {
    const control = await escape({ sandbox: 'none', bridge: null }, as)
    const confined: Escape[] = []
    for (const way of CONFINED) confined.push(await escape(way, as))
    console.log(table(`${user} (uid ${control.uid})`, control, confined))

    for (const { results, exitCode, daemons, stderrTail } of confined) {
      expect({ exitCode, stderrTail, daemons }).toEqual({ exitCode: 0, stderrTail: '', daemons: [] })
      expect(results).toHaveLength(57)
      expect(results.filter(({ allowed }) => allowed).map(({ name }) => name)).toEqual(INTENDED)
    }
    // Without a sandbox the same probes do succeed, or their refusal would prove nothing.
    expect(control.results).toHaveLength(57 - NOT_UNCONFINED.length)
    expect(control.results.filter(({ allowed }) => allowed).length).toBeGreaterThanOrEqual(23)
    expect(control.daemons).toEqual([])
  })
})

async function escape({ sandbox, bridge }: Way, as: readonly string[]): Promise<Escape> {
  const asked = {
    sandbox,
    bridge,
    dist: join(REPOSITORY, 'dist'),
    probes: join(import.meta.dirname, 'escape/probes.pl'),
    skipped: sandbox === 'none' ? NOT_UNCONFINED.map((name) => `<${name}>`) : [],
  }
  const [file, ...args] = [...as, process.execPath, join(import.meta.dirname, 'escape/run-probes.mjs')]
  const { stdout } = await promisify(execFile)(file, [...args, JSON.stringify(asked)], { cwd: '/' })
  return JSON.parse(stdout) as Escape
}

function table(title: string, control: Escape, confined: readonly Escape[]): string {
  const columns = [control, ...confined]
  const heads = [
    'none   ',
    ...CONFINED.map(({ sandbox, bridge }) => (bridge === null ? sandbox : `${sandbox}+${bridge}`)),
  ]
  const rows = confined[0]!.results.map(({ name }) =>
    [
      name.padEnd(50),
      ...columns.map(({ results }, index) => {
        const found = results.find((result) => result.name === name)
        return (found === undefined ? '-' : found.allowed ? 'ALLOWED' : 'refused').padEnd(heads[index]!.length)
      }),
    ].join('  '),
  )
  return [`${title.padEnd(50)}  ${heads.join('  ')}`, ...rows].join('\n')
}

function reasonToSkip(): string | null {
  if (!bubblewrap.works) return bubblewrap.reason
  return existsSync('/usr/bin/perl') ? null : 'the probes are written in Perl, and there is none'
}
