import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { isContainer } from '../../src/sandbox/environment.ts'

/** A folder with links to all programs but these, as the only entry of PATH. */
export async function programsWithout(...names: readonly string[]): Promise<FsFixture> {
  const fixture = await createFixture()
  // Tests run programs as another user, too.
  chmodSync(fixture.path, 0o755)
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    if (folder.includes('node_modules')) continue
    for (const program of await readdir(folder).catch(() => []))
      if (!names.includes(program)) await symlink(join(folder, program), fixture.getPath(program)).catch(() => {})
  }
  return fixture
}

/** Why no process can be started that finds itself on a machine of its own; `null` where one can. */
export function whyNoOwnMachine(): string | null {
  if (!isContainer({})) return null
  const unshared = spawnSync('unshare', [
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs none /mnt && test ! -e /run/.containerenv',
  ])
  return unshared.status === 0 ? null : 'this container lets no process leave it'
}

/**
 * A Node that finds itself in no container: it sees all of the root folder but the marks of one. `options` are those of
 * setpriv, for another user.
 */
export async function nodeOutsideContainers(
  options: readonly string[],
): Promise<FsFixture & { readonly node: string }> {
  const changed = options.length === 0 ? '' : `setpriv ${options.join(' ')} `
  const fixture = await createFixture({
    node: isContainer({}) ? leaving(changed) : `#!/bin/sh\nexec ${changed}${NODE} "$@"\n`,
  })
  const node = fixture.getPath('node')
  for (const path of [fixture.path, node]) chmodSync(path, 0o755)
  return Object.assign(fixture, { node })
}

const NODE = process.execPath

// The mounts are the process's own, and end with it.
function leaving(changed: string): string {
  return `#!/bin/sh
exec unshare --mount sh -c '
mount -t tmpfs none /mnt
for name in $(ls -A /); do
  if [ "$name" = mnt ] || [ "$name" = .dockerenv ]; then continue; fi
  if [ -L "/$name" ]; then ln -s "$(readlink "/$name")" "/mnt/$name"; continue; fi
  if [ -d "/$name" ]; then mkdir "/mnt/$name" && mount --rbind "/$name" "/mnt/$name"; fi
done
chmod 755 /mnt
folder=$PWD
exec chroot /mnt sh -c "cd \\"\\$1\\" && shift && exec \\"\\$@\\"" sh "$folder" ${changed}${NODE} "$@"
' sh "$@"
`
}
