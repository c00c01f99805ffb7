/** Folders that files of a package name by variables; one that is not known yet is absent. */
export interface NamedFolders {
  readonly packageRoot: string
  readonly workspace: string
  readonly home?: string
}

/** The variables of hooks and servers that were written for Claude Code. */
export function nativeVariables({ packageRoot, workspace, home }: NamedFolders): Readonly<Record<string, string>> {
  const known = { CLAUDE_PLUGIN_ROOT: packageRoot, CLAUDE_PROJECT_DIR: workspace }
  return home === undefined ? known : { ...known, CLAUDE_PLUGIN_DATA: home }
}

/** All variables that name a folder: that of the package format, and native ones. */
export function folderVariables(folders: NamedFolders): Readonly<Record<string, string>> {
  return { PACKAGE_ROOT: folders.packageRoot, ...nativeVariables(folders) }
}

/** The variables by which a command names the folder of its package or project, as part of a pattern. */
export const ROOT_NAMES: string = Object.keys(folderVariables({ packageRoot: '', workspace: '' })).join('|')

/** One of them at the start of a path. */
export const ROOT_VARIABLE: RegExp = new RegExp(String.raw`^\$\{?(?:${ROOT_NAMES})\}?\/`)
