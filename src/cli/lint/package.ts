import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { requireEngine } from '../../engines/registry.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { Suite, SuiteConfig } from '../../formats/suite.ts'
import { errorAt, warningAt, warningIn, type Issue } from '../../lib/documents/document.ts'
import { nearestName, suggestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isFolder } from '../../lib/files.ts'
import type { AgentPackage, SubAgent } from '../../packages/package.ts'

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

/** Names folders that look like an overlay and are none: a `setup/` of no eval, and a folder of an eval without `setup/`. */
export function findMissingOverlays({ skill, cases, file }: Suite): readonly Issue[] {
  const artifacts = cases.filter((one) => !kindOf(one).isQuery)
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
  return misplaced.map((message) => warningIn(file, 'missing-overlay', message))
}

function foldersOf(dir: string): readonly string[] {
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function hasSetup(dir: string): boolean {
  return isFolder(join(dir, 'setup'))
}
