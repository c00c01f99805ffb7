import { existsSync, lstatSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { foldersUpwards } from '../lib/files.ts'
import type { AgentPackage } from '../packages/package.ts'
import { listPackageFiles } from './inputs/package-files.ts'
import { packageRule, type PackageRule } from './inputs/stays-out.ts'
import { copyInto } from './stage-base.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** A copy of a package in which scripts may do what they like. */
export interface PackageCopy extends Disposable {
  /** Absolute path of the copied package. */
  readonly root: string
  readonly home: string
  readonly tmp: string
  /** Absolute path of an empty transcript. */
  readonly transcript: string
}

/** Hands out copies of packages. */
export interface PackageCopies {
  /** A copy that is as the package is now. Disposing it hands it back. */
  take(pkg: AgentPackage): PackageCopy
}

/**
 * Keeps copies between cases: one that a case has left as it was serves the next one, any other is thrown away.
 * Looking costs microseconds a file, copying and removing about ten times as much.
 *
 * @param parent - absolute path of the folder for the copies; the caller that made it removes it with what is left in it.
 */
export function createPackageCopies(parent: string): PackageCopies {
  const idle = new Map<string, Copy[]>()
  const rules = new WeakMap<AgentPackage, PackageRule>()
  return {
    take(pkg) {
      const rule = rules.get(pkg) ?? packageRule(pkg, true)
      rules.set(pkg, rule)
      const source = fingerprint(pkg.root, (path, isFolder) => rule.rule(path, isFolder) === null)
      const copies = idle.get(pkg.root) ?? []
      idle.set(pkg.root, copies)
      const taken = takeIdle(copies, source) ?? makeCopy(pkg, rule, parent, source)
      const { workspace } = taken
      return {
        root: workspace.package,
        home: workspace.home,
        tmp: workspace.tmp,
        transcript: transcriptOf(workspace),
        [Symbol.dispose]() {
          const isUntouched = taken.clean !== null && fingerprint(workspace.root) === taken.clean
          if (isUntouched) copies.push(taken)
          else void workspace.remove()
        },
      }
    },
  }
}

interface Copy {
  readonly workspace: Workspace
  /** Fingerprint of the package when it was copied. */
  readonly source: string | null
  /** Fingerprint of the copy before anything ran in it. */
  readonly clean: string | null
}

// A copy of an earlier state of the package has no use.
function takeIdle(copies: Copy[], source: string | null): Copy | null {
  for (let copy = copies.pop(); copy !== undefined; copy = copies.pop()) {
    if (copy.source !== null && copy.source === source) return copy
    void copy.workspace.remove()
  }
  return null
}

function makeCopy(pkg: AgentPackage, rule: PackageRule, parent: string, source: string | null): Copy {
  const workspace = createWorkspace({ parents: [parent] })
  for (const file of listPackageFiles(pkg, rule).files) {
    copyInto(workspace.package, file.path, file)
    // A time in the past: what is written within the same tick of the clock is seen all the same.
    utimesSync(join(workspace.package, file.path), LONG_AGO, LONG_AGO)
  }
  linkDependencies(pkg, workspace.package)
  writeFileSync(transcriptOf(workspace), '')
  return { workspace, source, clean: fingerprint(workspace.root) }
}

const LONG_AGO = new Date('2001-01-01T00:00:00Z')

function transcriptOf({ config }: Workspace): string {
  return join(config, 'transcript.jsonl')
}

// Too large to copy and no part of what is tested. The nearest `node_modules` may lie above the package.
function linkDependencies(pkg: AgentPackage, copy: string): void {
  const parts = [...pkg.skills.map(({ dir }) => relative(pkg.root, dir)), 'hooks', '']
  for (const part of parts) {
    for (const name of DEPENDENCY_FOLDERS) {
      const from = join(pkg.root, part, name)
      if (existsSync(from)) link(from, join(copy, part, name))
    }
  }
  if (existsSync(join(pkg.root, 'node_modules'))) return
  const above = foldersUpwards(dirname(pkg.root)).map((folder) => join(folder, 'node_modules'))
  const from = above.find((folder) => existsSync(folder))
  if (from !== undefined) link(from, join(copy, 'node_modules'))
}

const DEPENDENCY_FOLDERS = ['node_modules', '.venv', 'venv']

function link(from: string, to: string): void {
  if (existsSync(dirname(to)) && !existsSync(to)) symlinkSync(from, to, 'junction')
}

/**
 * One text that differs when anything in a folder was added, removed, replaced or written, without reading content.
 * `null` when it is unknown, which nothing equals.
 */
function fingerprint(root: string, isKept: (path: string, isFolder: boolean) => boolean = () => true): string | null {
  const stamps: string[] = []
  const folders = ['']
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (!isKept(path, entry.isDirectory())) continue
        // A folder is its contents; its own times change with things that do not count.
        if (entry.isDirectory()) folders.push(path)
        const { mtimeMs, ctimeMs, size, ino, mode } = lstatSync(join(root, path))
        stamps.push(entry.isDirectory() ? `${path}/ ${mode}` : `${path} ${mtimeMs} ${ctimeMs} ${size} ${ino} ${mode}`)
      }
    }
  } catch {
    return null
  }
  return stamps.toSorted().join('\n')
}
