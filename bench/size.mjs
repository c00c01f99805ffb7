// What an install without engines adds to Vitest, in MB.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { besidePeers, install, measurePeers, REPOSITORY } from './shared/project.mjs'

export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-evals-pack-'))
  try {
    const out = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const tarball = join(folder, JSON.parse(out)[0].filename)
    const alone = megabytes(await install('size-vitest', { vitest: '4.1.12' }))
    const value =
      megabytes(await install('size-ours', { vitest: '4.1.12', 'vitest-agent-evals': `file:${tarball}` })) - alone
    const installed = [
      ['vitest-evals', '0.16.1'],
      ['evalite', '0.19.0'],
      ['promptfoo', '0.123.1'],
    ]
    const peers = await measurePeers(
      installed.map(([name, version]) => [
        `${name}, all of it`,
        async () => megabytes(await install(`size-${name}`, { [name]: version })),
      ]),
    )
    return besidePeers({ what: 'install without engines, beyond Vitest', value, unit: 'MB', reach: 10 }, peers)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function megabytes(folder) {
  return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024
}
