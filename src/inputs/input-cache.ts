import { closeSync } from 'node:fs'
import { AgentEvalsError } from '../errors.ts'
import { hashOpenFile } from './hash-file.ts'
import { openRegular } from './open-regular.ts'
import { listPackageFiles, type PackageFiles } from './package-files.ts'
import type { AgentPackage } from '../packages/package.ts'

/** Remembers hashes and package listings, so that 500 cases of one package read it once. */
export interface InputCache {
  /** SHA-256 of a file; read again only when its time or size has changed. */
  hash(file: string): Promise<string>
  /** The package's files, listed once per package that was read. */
  packageFiles(pkg: AgentPackage): PackageFiles
  /** Runs `make` once per package that was read. */
  perPackage<Value>(pkg: AgentPackage, key: string, make: () => Value): Value
}

/** Makes a cache. One per process: its keys are the identity of packages, and path, time and size of files. */
export function createInputCache(): InputCache {
  const hashes = new Map<string, { readonly stamp: string; readonly hash: string }>()
  const packages = new WeakMap<AgentPackage, Map<string, unknown>>()

  const perPackage = <Value>(pkg: AgentPackage, key: string, make: () => Value): Value => {
    const known = packages.get(pkg) ?? new Map<string, unknown>()
    packages.set(pkg, known)
    if (!known.has(key)) known.set(key, make())
    return known.get(key) as Value
  }

  return {
    perPackage,
    packageFiles: (pkg) => perPackage(pkg, 'files', () => listPackageFiles(pkg)),
    async hash(file) {
      const opened = openRegular(file)
      if (!opened.ok) throw unreadable(file, opened.code, opened.reason)
      try {
        const { stat, fd } = opened
        const stamp = `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}`
        const known = hashes.get(file)
        if (known?.stamp === stamp) return known.hash
        const { hash } = await hashOpenFile(fd, Number.POSITIVE_INFINITY)
        hashes.set(file, { stamp, hash })
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
