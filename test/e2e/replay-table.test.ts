// @module-tag slow
// @module-tag table
// @module-tag claude-code
import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { USERS } from '../support/another-user.ts'
import { programsWithout } from '../support/bare-machine.ts'
import { busyProcesses } from '../support/load.ts'
import { installNode, vitestMajors } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { readReports } from '../support/eval-project.ts'

const bubblewrap = await probeBubblewrap(process.env)

const VALUES = {
  sandbox: bubblewrap.works ? ['bubblewrap', 'none'] : ['none'],
  user: USERS,
  folder: ['example', 'a folder with spaces'],
  node: ['20', '22', '24'],
  vitest: ['4', '5'],
  load: ['idle', '8 busy processes'],
} as const

type Row = Readonly<Record<keyof typeof VALUES, string>>

const NODES = { '20': '20.20.2', '22': '22.22.2', '24': '24.21.0' } as const

// Every value and every pair of values is in a row of the table.
test.for(coverPairs())(
  'the example replays 19 of 19: $sandbox, $user, $folder, Node $node, Vitest $vitest, $load',
  async ({ sandbox, user, folder, node, vitest, load }) => {
    const majors = await vitestMajors()
    const major = majors.find((one) => String(one.major) === vitest)
    if (major === undefined) throw new Error(`Vitest ${vitest} is not installed.`)
    const program = await installNode(NODES[node as keyof typeof NODES])
    await using wrapper = await createFixture({ node: `#!/bin/sh\nexec ${asUser(user)}${program} "$@"\n` })
    for (const path of [wrapper.path, wrapper.getPath('node')]) chmodSync(path, 0o755)
    await using programs = await programsWithout(...(sandbox === 'none' ? ['bwrap', 'socat'] : []))
    await using project = await createProject({ ...major, node: wrapper.getPath('node') })
    const isOwn = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports|runs)(?:\/|$)/.test(file)
    await cp(join(REPOSITORY, 'example-package'), join(project.root, folder), { recursive: true, filter: isOwn })
    if (user !== 'this user') execFileSync('chown', ['-R', '65534:65534', project.root, project.home])
    using _ = busyProcesses(load === 'idle' ? 0 : 8)
    const finished = await project.run(['run', '--root', folder, '--project', 'evals'], {
      env: { PATH: programs.path, AGENT_EVALS_SOURCE: 'replay' },
    })
    const places = ['evals/reports', 'agents/archivist/evals/reports']
    const reports = await Promise.all(places.map((place) => readReports(project, join(folder, place))))
    const cases = reports.flat().flatMap((report) => report.cases)
    expect(
      cases.map(({ name, verdict }) => `${name} ${verdict}`),
      finished.all,
    ).toEqual(cases.map(({ name }) => `${name} PASS`))
    expect(cases).toHaveLength(19)
    expect(new Set(cases.map((one) => one.sandbox?.enforced.split(' ')[0]))).toEqual(new Set([sandbox]))
  },
)

function asUser(user: string): string {
  return user === 'this user' ? '' : 'setpriv --reuid=65534 --regid=65534 --clear-groups '
}

/** Rows of the table, each the one that shows most pairs that no row before it shows. */
function coverPairs(): readonly Row[] {
  const product = Object.entries(VALUES)
    .reduce<readonly Readonly<Record<string, string>>[]>(
      (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
      [{}],
    )
    // Vitest 5 does not run on Node 20.
    .filter(({ node, vitest }) => !(node === '20' && vitest === '5')) as readonly Row[]
  const open = new Set(product.flatMap(pairsOf))
  const rows: Row[] = []
  while (open.size > 0) {
    const gain = (row: Row): number => pairsOf(row).filter((pair) => open.has(pair)).length
    const best = product.reduce((one, other) => (gain(other) > gain(one) ? other : one))
    for (const pair of pairsOf(best)) open.delete(pair)
    rows.push(best)
  }
  return rows
}

function pairsOf(row: Row): readonly string[] {
  const values = Object.entries(row).map(([name, value]) => `${name} ${value}`)
  return values.flatMap((one, index) => values.slice(index + 1).map((other) => `${one}, ${other}`))
}
