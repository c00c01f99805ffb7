import { kindOf } from '../../suites/kinds.ts'
import { allOf } from '../../engines/registry.ts'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ignoredBelow } from '../../inputs/ask-git.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { isFolder } from '../../files.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../../suites/suite.ts'

/**
 * What looks as if an overlay were meant to be there and is not: one of no eval, a folder of an eval without `setup/`,
 * and where there is none at all, whether git would have kept one out.
 */
export async function findMissingOverlays(suite: Suite): Promise<readonly Issue[]> {
  const { skill, cases, file } = suite
  const artifacts = cases.filter((one) => kindOf(one).selectedBy === 'artifact')
  if (skill === undefined || artifacts.length === 0) return []
  const ids = artifacts.map(({ id }) => id)
  const folders = foldersOf(skill.evalsDir).filter((name) => name !== 'setup')
  const misplaced = folders.flatMap((name) => {
    const has = hasSetup(join(skill.evalsDir, name))
    if (has === ids.includes(name)) return []
    if (!has) return [`${name}/ has no setup/, so it adds no files to the workspace of ${name}`]
    const nearest = nearestName(name, ids)
    return [`${name}/setup matches no eval${nearest === null ? '' : `; the nearest id is ${nearest}`}`]
  })
  const messages = [...misplaced, ...(await lostOverlays(suite, skill.evalsDir))]
  return messages.map((message) => {
    return { code: 'missing-overlay', severity: 'warning', file, field: '', message, line: 1, column: 1 }
  })
}

async function lostOverlays({ cases }: Suite, evalsDir: string): Promise<readonly string[]> {
  if (cases.some(({ overlays = [] }) => overlays.length > 0)) return []
  const ignored = await ignoredBelow(evalsDir, PROBES)
  if (ignored.length === 0) return []
  const what = ignored.map((path) => (basename(path) === 'x' ? dirname(path) : path)).join(' and ')
  return [`there is no setup/, and git ignores ${what}: an overlay may exist that was never committed`]
}

/** What overlays usually hold. */
const PROBES = ['x', '_bmad', ...allOf('toolFolders')].map((name) => `setup/${name}`)

function foldersOf(dir: string): readonly string[] {
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function hasSetup(dir: string): boolean {
  return isFolder(join(dir, 'setup'))
}
