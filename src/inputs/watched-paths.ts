import { dirname, join } from 'node:path'
import { packagePathFilter } from './package-path.ts'
import type { InputsRequest } from './collect.ts'
import type { InputCache } from './input-cache.ts'

/** What a watcher has to look at for one case; nothing is read or hashed for it. */
export interface WatchedPaths {
  /** Absolute paths, also of files that do not exist yet and would count: a fixture, AGENTS.md, a scenario. */
  readonly files: readonly string[]
  /** Absolute paths of folders where an added or removed file counts, however deep, unless it stays out of sessions. */
  readonly folders: readonly string[]
  /** Whether a change at this absolute path concerns the case. */
  concerns(file: string): boolean
}

/** Says which paths concern a case. Missing and unsafe files are listed too: correcting them must run the case. */
export function watchedPaths(request: InputsRequest, cache: InputCache): WatchedPaths {
  const pkg = request.package
  const { root } = pkg
  const isKept = cache.perPackage(pkg, 'filter', () => packagePathFilter(pkg))
  const ofPackage = cache.packageFiles(pkg).files.map(({ file }) => file)
  const { config } = request.suite
  const named = [
    ...request.evalCase.files.map(({ from }) => from),
    ...request.evalCase.workspaceFiles.flatMap(({ from }) => (from === null ? [] : [from])),
  ]
  const own = [
    request.suite.file,
    config.file ?? join(dirname(dirname(request.suite.file)), 'eval-config.json'),
    ...(request.scenario === null ? [] : [request.scenario]),
    ...named,
  ]
  const files = new Set([...own, ...ofPackage, ...POSSIBLE_FILES.map((path) => join(root, path))])
  const topFolders = new Set([...PART_FOLDERS, ...cache.packageFiles(pkg).files.flatMap(({ path }) => topFolder(path))])
  const folders = [...topFolders].map((folder) => join(root, folder))
  return {
    files: [...files].toSorted(),
    folders: [...folders, ...named].toSorted(),
    concerns: (file) => {
      if (files.has(file) || named.some((from) => file.startsWith(`${from}/`))) return true
      return file.startsWith(`${root}/`) && isKept(file.slice(root.length + 1), false)
    },
  }
}

const PART_FOLDERS = ['agents', 'commands', 'hooks', 'mcp', 'rules', 'skills']
const POSSIBLE_FILES = ['AGENTS.md', 'package.agent.json', 'package.agent.yaml', 'package.agent.lock']

function topFolder(path: string): readonly string[] {
  const end = path.indexOf('/')
  return end === -1 ? [] : [path.slice(0, end)]
}
