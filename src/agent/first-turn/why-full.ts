import { backends } from '../../sandbox/backends.ts'
import type { FirstTurnRules } from '../../engines/first-turn.ts'
import type { AgentRequest } from '../agent-request.ts'

/** What is known of a query before its first request is. */
export interface Eligibility {
  /** Paths that the inputs of the query have in their own folders. */
  readonly overlayPaths: readonly string[]
  /** Whether a version that is on no list has been verified on this machine. */
  readonly isVerified: (engine: string, version: string) => boolean
  /** Whether versions of no list are tried all the same: to verify them. */
  readonly verifies: boolean
}

/** Why a run of a query has to be a full session; `null` when its first turn may decide it. */
export function whyFull(
  { engine: found, sandbox, evalCase, package: pkg, resume }: AgentRequest,
  rules: FirstTurnRules | undefined,
  { overlayPaths, isVerified, verifies }: Eligibility,
): string | null {
  const { engine, version } = found
  if (rules === undefined) return `other queries cannot share the first request of ${engine.name}`
  if (resume !== undefined) return 'it continues another session'
  if (backends[sandbox.backend]?.hasFixedFolders !== true)
    return `each session has its folders at other paths (sandbox: ${sandbox.backend})`
  const isKnown = version !== null && (rules.versions.includes(version) || isVerified(engine.name, version))
  if (!isKnown && !verifies)
    return `${engine.name} ${version ?? 'of an unknown version'} has not been verified: run once with --triggers verify`
  if (pkg.mcpServers.length > 0) return 'the package has MCP servers, which a first request lists as they come up'
  const hook = pkg.hookGroups.find(({ event }) => rules.hookChanges(event) === 'request')
  if (hook !== undefined) return `the package has a hook of ${hook.event}, which may change the first request`
  const settings = overlayPaths.find((path) => rules.isSettings(path))
  if (settings !== undefined) return `the overlay has ${settings}, which may contain hooks`
  const shown = [...evalCase.files, ...evalCase.workspaceFiles].find(({ to }) => rules.shows(to))
  if (shown !== undefined) return `the first request may show the query's own file ${shown.to}`
  return rules.dependsOn(evalCase.prompt)
}
