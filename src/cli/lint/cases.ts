import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isPathBelow } from '../../checks/file-facts.ts'
import type { DeclaredCheck } from '../../checks/checks.ts'
import type { TestSuite } from '../../formats/free-tests/test-suite.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { errorIn, warningIn, type Issue } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { collisionKey } from '../../lib/documents/relative-path.ts'
import { isFolder } from '../../lib/files.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import { eventsOfHooks, type AgentPackage } from '../../packages/package.ts'

type PackageParts = Pick<AgentPackage, 'hookGroups' | 'layout' | 'manifest'>

/** Warnings for cases that can never pass: a live run of them is paid for in vain. */
export function findHopelessCases(suite: Suite, pkg: PackageParts): readonly Issue[] {
  return suite.cases.flatMap((evalCase) =>
    evalCase.checks.flatMap((check) => {
      const message = whyHopeless(check, evalCase, suite, pkg)
      return message === null ? [] : [warningIn(suite.file, 'never-passes', message, check.at)]
    }),
  )
}

function whyHopeless(check: DeclaredCheck, evalCase: EvalCase, suite: Suite, pkg: PackageParts): string | null {
  if (check.kind === 'files-created') return whyNeverCreated(check.value, evalCase, suite, pkg)
  return check.kind === 'agent-blocked' && check.value && !canBlock(evalCase, pkg)
    ? 'no hook of the package that this case is about can block the agent; one of pre-tool-use can'
    : null
}

function canBlock({ target }: EvalCase, pkg: PackageParts): boolean {
  const events = eventsOfHooks(pkg).filter((event) => target?.kind !== 'hook' || event === target.name)
  return events.some((event) => findHookEvent(event)?.canBlock !== false)
}

function whyNeverCreated(path: string, evalCase: EvalCase, { config }: Suite, pkg: PackageParts): string | null {
  if (/[*?]/.test(path)) return 'a path is expected, not a pattern: no file has this name'
  const key = collisionKey(path)
  const isManifest = key === 'package.agent.json' && pkg.manifest !== null && pkg.layout === undefined
  if (isManifest || isThereBefore(path, evalCase))
    return 'the file exists before the run, so the agent cannot create it'
  const { writablePaths } = config
  const isWritable = writablePaths?.map(collisionKey).some((one) => isPathBelow(key, one) || isPathBelow(one, key))
  return isWritable === false
    ? `the agent cannot write there: "writable-paths" of eval-config.json has only ${writablePaths?.join(', ')}`
    : null
}

function isThereBefore(path: string, { files, workspaceFiles, overlays = [] }: EvalCase): boolean {
  const target = path.replace(/^\.\//, '')
  if ([...files, ...workspaceFiles].some(({ to }) => to === target)) return true
  return overlays.some((overlay) => lstatSync(join(overlay, target), { throwIfNoEntry: false })?.isFile() === true)
}

/** Finds free tests that expect nothing, so that any output passes, and files that they need and that are not there. */
export function findTestProblems({ cases, file, partDir }: TestSuite): readonly Issue[] {
  return cases.flatMap((test) => {
    // The format of hooks finds these itself.
    if (test.kind === 'hook' || test.kind === 'broken') return []
    const empty = {
      ...warningIn(file, 'no-expectations', 'no expectations: any output passes', test.at),
      field: 'expected',
    }
    const missing = (test.kind === 'skill' ? test.files : []).flatMap(({ path, at }, index) => {
      const message = `${path} does not exist below the skill's folder`
      const issue = { ...errorIn(file, 'file-missing', message, at), field: `input.files.${index}` }
      return existsSync(join(partDir, path)) ? [] : [issue]
    })
    return [...(test.assertions.length === 0 ? [empty] : []), ...missing]
  })
}

/** Names folders that look like an overlay and are none: a `setup/` of no eval, and a folder of an eval without `setup/`. */
export function findMissingOverlays({ skill, cases, file }: Suite): readonly Issue[] {
  const ids = cases.filter((one) => kindOf(one).selectedBy === 'artifact').map(({ id }) => id)
  if (skill === undefined || ids.length === 0) return []
  const folders = readdirSync(skill.evalsDir, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.flatMap(({ name }) => {
    const hasSetup = isFolder(join(skill.evalsDir, name, 'setup'))
    if (name === 'setup' || hasSetup === ids.includes(name)) return []
    const message = hasSetup
      ? `${name}/setup matches no eval.${suggestName(name, ids)}`
      : `${name}/ has no setup/, so it adds no files to the workspace of ${name}`
    return [warningIn(file, 'missing-overlay', message)]
  })
}
