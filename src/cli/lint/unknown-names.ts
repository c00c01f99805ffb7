import { findUnknownName, kindOf as kindOfCheck } from '../../checks/checks.ts'
import { allOf } from '../../engines/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { type Issue, errorIn } from '../../lib/documents/document.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { SuiteCache } from '../../formats/format.ts'
import type { LoadedScenario } from '../../gateway/sources/load-scenario.ts'
import type { ScenarioTurn } from '../../gateway/sources/scenario-file.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { SessionNames } from '../../transcript/transcript.ts'

/** Whether a project has engines of its own, whose tools nobody knows. */
export function hasOwnEngines(options: Pick<ResolvedOptions, 'engineModules'> | undefined): boolean {
  return Object.keys(options?.engineModules ?? {}).length > 0
}

/** What names are looked up in before a run. */
interface NameRequest {
  readonly cache: Pick<SuiteCache, 'packageFor' | 'pluginsOf'>
  readonly knowsTools: boolean
}

/**
 * Errors for names in checks and graders that are almost those of a skill or a server of the package, or of a tool of an
 * engine. Whether a session has what is called otherwise is known when it runs.
 */
export async function findUnknownNames(suite: Suite, request: NameRequest): Promise<readonly Issue[]> {
  const found = await Promise.all(
    suite.cases.map(async (evalCase) => {
      const { graders = [] } = kindOf(evalCase).pluginCase(evalCase) ?? {}
      const checks = [
        ...evalCase.checks.map((check) => ({ field: check.kind, at: check.at, check })),
        ...graders.flatMap((one) => ('check' in one ? [{ field: one.name, at: one.at, check: one.check }] : [])),
      ].map((one) => ({ ...one, asked: kindOfCheck(one.check.kind)?.names?.(one.check) ?? {} }))
      // Most cases name nothing, and their packages need not be read.
      if (checks.every(({ asked }) => Object.keys(asked).length === 0)) return []
      const run = { names: await namesBefore(suite, evalCase, request), transcript: [] }
      const hasOverlays = (evalCase.overlays ?? []).length > 0
      return checks.flatMap(({ field, at, asked }): readonly Issue[] => {
        // An overlay may hold further skills.
        const unknown = findUnknownName(hasOverlays ? { tools: asked.tools ?? [] } : asked, run)
        return unknown?.isNear === true ? [{ ...errorIn(suite.file, 'unknown-name', unknown.message, at), field }] : []
      })
    }),
  )
  return found.flat()
}

/** Errors for tools in a scenario that are almost those of an engine. */
export function findUnknownTools(
  file: string,
  loaded: LoadedScenario | null,
  pkg: Pick<AgentPackage, 'mcpServers'>,
): readonly Issue[] {
  const run = { names: { skills: [], ...toolsBefore([pkg]) }, transcript: [] }
  const inTurns = (turns: readonly ScenarioTurn[]): readonly Issue[] =>
    turns.flatMap(({ line, tools }) =>
      tools.flatMap((call) => {
        const unknown = findUnknownName({ tools: [call.name] }, run)
        const at = { line, column: 1 }
        return [
          ...(unknown?.isNear === true ? [errorIn(file, 'unknown-name', unknown.message, at)] : []),
          ...inTurns(call.turns ?? []),
        ]
      }),
    )
  return inTurns([...(loaded?.scenario?.turns ?? []), ...(loaded?.scenario?.side ?? [])])
}

async function namesBefore(
  suite: Suite,
  evalCase: EvalCase,
  { cache, knowsTools }: NameRequest,
): Promise<SessionNames> {
  const packages = [await cache.packageFor(suite, evalCase), ...(await cache.pluginsOf(suite, evalCase))]
  const tools = toolsBefore(packages)
  const skills = packages.flatMap((pkg) => [
    ...pkg.skills.map(({ name, alias = name }) => [name, alias]),
    ...pkg.commands.map(({ name }) => [name]),
  ])
  return { skills, servers: tools.servers, tools: knowsTools ? tools.tools : null }
}

function toolsBefore(packages: readonly Pick<AgentPackage, 'mcpServers'>[]): Omit<SessionNames, 'skills'> {
  const servers = packages.flatMap(({ mcpServers }) => mcpServers).map(({ name }) => name)
  // Which tools a server has is known when it has started.
  const known = [...allOf('toolNames'), ...servers.map((name) => `mcp__${name}`)]
  return { servers, tools: Object.fromEntries(known.map((name) => [name, name])) }
}
