import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { allOf, requireEngine } from '../../engines/registry.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { Suite, SuiteConfig } from '../../formats/suite.ts'
import { errorAt, warningAt, warningIn, type Issue } from '../../lib/documents/document.ts'
import { nearestName, suggestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isFolder } from '../../lib/files.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage, SubAgent } from '../../packages/package.ts'
import { ignoredBelow } from '../../session/inputs/package-path.ts'
import { remarkOnOverlay } from '../../session/inputs/project-files.ts'

/** Remarks on skills that an agent.yaml names and the package does not have. */
export async function findUnknownSkills({ agents, skills }: AgentPackage): Promise<readonly Issue[]> {
  const names = skills.map(({ name }) => name)
  const found = await Promise.all(agents.map((agent) => lookAtAgent(agent, names)))
  return found.flat()
}

async function lookAtAgent({ file, skills }: SubAgent, names: readonly string[]): Promise<readonly Issue[]> {
  // `package:skill` is another package's. An agent of one Markdown file is read by the engine itself.
  const isUnknown = (name: string): boolean => !name.includes(':') && !names.includes(name)
  if (!file.endsWith('.yaml') || !skills.some(isUnknown)) return []
  const { text } = await readText(file)
  if (text === null) return []
  const document = readDocument(text, { kind: 'yaml', file, what: 'agent' })
  return skills.flatMap((name, index) =>
    isUnknown(name)
      ? [
          warningAt(
            document,
            ['skills', index],
            'unknown-skill',
            `the package has no skill "${name}".${suggestName(name, names)}`,
          ),
        ]
      : [],
  )
}

/** An error for an engine that cannot be driven; every case of the configuration would be errored. */
export async function findUnsupportedEngine({ file, engine }: SuiteConfig): Promise<readonly Issue[]> {
  const problem = engine === null ? null : problemOf(engine)
  if (file === null || problem === null) return []
  const { text } = await readText(file)
  if (text === null) return []
  const document = readDocument(text, { kind: 'json', file, what: 'configuration' })
  return [errorAt(document, ['engine'], 'unsupported-engine', problem)]
}

function problemOf(engine: string): string | null {
  try {
    requireEngine(engine, [])
    return null
  } catch (error) {
    if (error instanceof AgentEvalsError) return error.message
    throw error
  }
}

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
  return messages.map((message) => warningIn(file, 'missing-overlay', message))
}

async function lostOverlays({ cases }: Suite, evalsDir: string): Promise<readonly string[]> {
  if (cases.some(({ overlays = [] }) => overlays.length > 0)) return []
  const ignored = await ignoredBelow(evalsDir, PROBES)
  if (ignored.length === 0) return []
  // Below a folder that is ignored everything is.
  const what = ignored.includes(ANY) ? 'it' : ignored.join(' and ')
  return [`there is no setup/, and git ignores ${what}: an overlay may exist that was never committed`]
}

const ANY = 'setup/x'
/** What overlays usually hold. */
const PROBES = [ANY, ...['_bmad', ...allOf('toolFolders')].map((name) => `setup/${name}`)]

function foldersOf(dir: string): readonly string[] {
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function hasSetup(dir: string): boolean {
  return isFolder(join(dir, 'setup'))
}

/** What is odd about the overlays of a suite, reported at the first case that has them. */
export async function findOverlayIssues({ cases, file, packageRoot }: Suite): Promise<readonly Issue[]> {
  const owners = new Map(cases.toReversed().flatMap((one) => (one.overlays ?? []).map((dir) => [dir, one] as const)))
  const found = await Promise.all(
    [...owners].map(async ([overlay, { at }]): Promise<readonly Issue[]> => {
      const remark = await remarkOnOverlay(overlay)
      if (remark === null) return []
      const message = `the overlay ${pathFrom(packageRoot, overlay)} ${remark}`
      return [warningIn(file, 'odd-overlay', message, at)]
    }),
  )
  return found.flat()
}
