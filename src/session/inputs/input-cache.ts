import { createHash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AgentEvalsError } from '../../lib/errors.ts'
import { openRegular } from '../../lib/regular-file.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Listing } from './list-files.ts'
import { listPackageFiles } from './package-files.ts'

/** Remembers hashes and package listings, so that 500 cases of one package read it once. */
export interface InputCache {
  /** SHA-256 of a file; read again only when its time or size has changed. */
  hash(file: string): Promise<string>
  /** Whether a file could be executed when it was last hashed; `false` for one that never was. */
  isExecutable(file: string): boolean
  /** The package's files, listed once per package that was read. */
  packageFiles(pkg: AgentPackage): Listing
  /** Runs `make` once per package that was read. */
  perPackage<Value>(pkg: AgentPackage, key: string, make: () => Value): Value
}

/** Makes a cache. One per process: its keys are the identity of packages, and path, time and size of files. */
export function createInputCache(): InputCache {
  const hashes = new Map<string, { readonly stamp: string; readonly hash: string; readonly isExecutable: boolean }>()
  const packages = new WeakMap<AgentPackage, Map<string, unknown>>()

  const perPackage = <Value>(pkg: AgentPackage, key: string, make: () => Value): Value => {
    const values = packages.get(pkg) ?? new Map<string, unknown>()
    packages.set(pkg, values)
    if (!values.has(key)) values.set(key, make())
    return values.get(key) as Value
  }

  return {
    perPackage,
    packageFiles: (pkg) => perPackage(pkg, 'files', () => listPackageFiles(pkg)),
    isExecutable: (file) => hashes.get(file)?.isExecutable === true,
    async hash(file) {
      const opened = openRegular(file)
      if (!opened.ok) throw unreadable(file, opened.code, opened.reason)
      try {
        const { stat, fd } = opened
        const stamp = `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}`
        const earlier = hashes.get(file)
        if (earlier?.stamp === stamp) return earlier.hash
        const { hash } = await hashOpenFile(fd, Number.POSITIVE_INFINITY)
        hashes.set(file, { stamp, hash, isExecutable: (Number(stat.mode) & 0o111) !== 0 })
        return hash
      } finally {
        closeSync(opened.fd)
      }
    },
  }
}

function unreadable(file: string, code: string, reason: string): AgentEvalsError {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new AgentEvalsError('missing-input', `${file} no longer exists. Run again.`)
  }
  return new AgentEvalsError('unsafe-path', `${file} ${reason}. Put a regular file there that can be read.`)
}

/** Hashes what an open file holds, at most `maxBytes` of it, and lets other work go on during a large one. */
export async function hashOpenFile(
  fd: number,
  maxBytes: number,
): Promise<{ readonly hash: string; readonly size: number }> {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK)
  let size = 0
  for (;;) {
    const count = readSync(fd, chunk, 0, Math.min(CHUNK, maxBytes - size), size)
    if (count === 0) return { hash: hash.digest('hex'), size }
    hash.update(chunk.subarray(0, count))
    size += count
    if (size % TURN < count) await nextTurn()
  }
}

const CHUNK = 65_536
const TURN = 2_097_152
