import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { DeclaredCheck } from '../../checks/checks.ts'
import { isPathBelow } from '../../checks/file-facts.ts'
import { allOf } from '../../engines/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { warningIn, type Issue } from '../../lib/documents/document.ts'
import { collisionKey } from '../../lib/documents/relative-path.ts'
import { findHookEvent, isTooEarly } from '../../packages/hook-events.ts'
import { eventsOfHooks, type AgentPackage } from '../../packages/package.ts'

type PackageParts = Pick<AgentPackage, 'hookGroups' | 'layout' | 'manifest'>

/** Warnings for cases that can never pass, or only by a change of the agent's own configuration. */
export function findHopelessCases(suite: Suite, pkg: PackageParts): readonly Issue[] {
  return suite.cases.flatMap((evalCase) =>
    evalCase.checks.flatMap((check) => {
      const message = whyHopeless(check, evalCase, suite, pkg)
      return message === null ? [] : [warningIn(suite.file, 'never-passes', message, check.at)]
    }),
  )
}

function whyHopeless(check: DeclaredCheck, evalCase: EvalCase, suite: Suite, pkg: PackageParts): string | null {
  if (check.kind === 'not-contains') {
    const { value } = check
    const both = evalCase.checks.find((other) => other.kind === 'contains' && other.value.includes(value))
    return both === undefined
      ? null
      : `the output has to contain ${JSON.stringify(both.value)}, which contains this text`
  }
  if (check.kind === 'agent-blocked') return check.value ? whyNeverBlocked(evalCase, pkg) : null
  return check.kind === 'files-created' ? whyNeverCreated(check.value, evalCase, suite, pkg) : null
}

function whyNeverBlocked({ target }: EvalCase, pkg: PackageParts): string | null {
  const events = eventsOfHooks(pkg)
  const counted = target?.kind === 'hook' ? events.filter((event) => event === target.name) : events
  if (counted.some((event) => findHookEvent(event)?.canBlock !== false)) return null
  const [early, late] = [counted.filter(isTooEarly), counted.filter((event) => !isTooEarly(event))]
  const why = [
    ...(early.length === 0 ? [] : [`a hook of ${early.join(' or ')} runs too early`]),
    ...(late.length === 0 ? [] : [`a hook of ${late.join(' or ')} runs too late`]),
  ].join(' and ')
  return why === ''
    ? 'no hook of the package can block the agent, so it is never blocked'
    : `${why} to block the agent; only a hook such as pre-tool-use can`
}

function whyNeverCreated(path: string, evalCase: EvalCase, { config }: Suite, pkg: PackageParts): string | null {
  if (/[*?]/.test(path) || (/\{[^{},]*,/.test(path) && path.includes('}')))
    return 'a path is expected, not a pattern: no file has this name'
  const key = collisionKey(path)
  const isManifest = key === 'package.agent.json' && pkg.manifest !== null && pkg.layout === undefined
  if (isManifest || isThereBefore(path, evalCase))
    return 'the file exists before the run, so the agent cannot create it'
  const allowed = config.writablePaths?.map(collisionKey)
  const isWritable = allowed?.some((folder) => isPathBelow(key, folder) || isPathBelow(folder, key)) ?? true
  if (!isWritable)
    return `the agent cannot write there: "writable-paths" of eval-config.json has only ${config.writablePaths?.join(', ')}`
  const ownFolder = allOf('ownPaths').find((folder) => isPathBelow(key, folder))
  return ownFolder === undefined
    ? null
    : `${ownFolder} holds the agent's own configuration, and a file of the package there exists before the run; expect the file elsewhere, such as in output/`
}

function isThereBefore(path: string, { files, workspaceFiles, overlays = [] }: EvalCase): boolean {
  const target = path.replace(/^\.\//, '')
  if ([...files, ...workspaceFiles].some(({ to }) => to === target)) return true
  return overlays.some((overlay) => lstatSync(join(overlay, target), { throwIfNoEntry: false })?.isFile() === true)
}
