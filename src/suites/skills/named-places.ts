import { basename, join, relative, sep } from 'node:path'
import { listEntries } from '../../files.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { nearestName } from '../../documents/nearest-name.ts'
import { whyHidden, PLACE_FOLDERS } from '../hidden-paths.ts'
import type { TrackedFs } from '../../documents/tracked-fs.ts'
import type { SkillUnderTest } from '../suite.ts'

/** Where the name of a workspace leads: to a folder or a file, or to neither for a reason. */
export type FoundPlace =
  | { readonly from: string; readonly path: string; readonly isFolder: boolean }
  | { readonly reason: string }

/** Looks for what a name such as `evals/fixtures/shop`, `fixtures/shop` or `shop` means. */
export function findPlace(name: string, skill: SkillUnderTest, fs: TrackedFs): FoundPlace {
  for (const { home, path } of candidates(name, skill)) {
    const kind = kindOf(home, path, fs)
    if (kind === null) continue
    if (kind === 'other') return { reason: `${path} is neither a folder nor a regular file, or below a link` }
    const from = join(home, path)
    const own = [skill.evalsDir, skill.dir, skill.projectRoot].some((dir) => `${dir}${sep}`.startsWith(`${from}${sep}`))
    if (own) return { reason: `${path} is not a fixture: it contains the skill or its evals` }
    const hidden = whyHidden(pathFrom(skill.projectRoot, from))
    if (hidden !== null) return { reason: `${path} is not a fixture: it ${hidden}` }
    return { from, path, isFolder: kind === 'folder' }
  }
  return { reason: `there is no folder evals/fixtures/${name.replace(/^(?:evals\/)?fixtures\//, '')}` }
}

interface Candidate {
  readonly home: string
  readonly path: string
}

function candidates(name: string, { evalsDir, dir, projectRoot }: SkillUnderTest): readonly Candidate[] {
  // A single word may be the name of any folder of a project.
  const direct = name.includes('/') ? [evalsDir, dir, projectRoot].map((home) => ({ home, path: name })) : []
  const inEvals = PLACE_FOLDERS.map((folder) => `evals/${folder}`)
  const homes = [
    { home: evalsDir, folders: PLACE_FOLDERS },
    { home: dir, folders: [...inEvals, ...PLACE_FOLDERS] },
    { home: projectRoot, folders: inEvals },
  ]
  const below = homes.flatMap(({ home, folders }) => folders.map((folder) => ({ home, path: `${folder}/${name}` })))
  return [...direct, ...below]
}

// What is below a link may be anywhere.
function kindOf(home: string, path: string, fs: TrackedFs): 'file' | 'folder' | 'other' | null {
  const segments = path.split('/')
  let kind: 'file' | 'folder' | 'other' | null = null
  for (const index of segments.keys()) {
    const entry = fs.look(join(home, ...segments.slice(0, index + 1)))
    if (entry === null) return null
    kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other'
    if (kind === 'other') return kind
  }
  return kind
}

/** Paths of files that a missing one may be: of its name, or nearly, in the folders of the evals. */
export function similarFiles(path: string, { evalsDir, dir }: SkillUnderTest): readonly string[] {
  const name = basename(path)
  const found = [evalsDir, join(dir, 'assets'), join(dir, 'examples')].flatMap((folder) =>
    listEntries(folder, true)
      .filter((entry) => entry.isFile())
      .slice(0, MAX_LOOKED_AT)
      .map((entry) => ({ name: entry.name, path: relative(dir, join(entry.parentPath, entry.name)) })),
  )
  const same = found.filter((one) => one.name === name)
  const nearest = same.length > 0 ? null : nearestName(name, new Set(found.map((one) => one.name)))
  const similar = nearest === null ? same : found.filter((one) => one.name === nearest)
  return similar.slice(0, MAX_NAMED).map((one) => one.path.replaceAll('\\', '/'))
}

const MAX_LOOKED_AT = 1000
const MAX_NAMED = 3
