import { sha256 } from '../lib/sha256.ts'

/** A name as one segment of a path. One that had to be changed gets a hash, so that two names never share a segment. */
export function toPathSegment(name: string): string {
  if (/^[\w@][\w.@-]{0,79}$/.test(name)) return name
  const safe = name
    .replaceAll(/[^\w.@-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  return `${safe}-${sha256(name, 6)}`
}

/** Where the cases of a suite have their recordings, below its package; `folder` is the one that its format names. */
export function recordingSegments(folder: string): readonly string[] {
  const segments = folder
    .replace(/^evals\//, '')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
  return ['evals', 'recordings', ...segments.map(toPathSegment)]
}

/**
 * Why no session may read what is at a path of a project, as the end of a sentence about it; `null` where it may.
 * `path` is `/`-separated. A file below the fixtures is data, whatever it is called.
 */
export function whyHidden(path: string): string | null {
  const segments = path.toLowerCase().split('/')
  if (segments.includes('.git')) return 'is part of a git repository'
  const evals = segments.findIndex((name) => name === 'evals' || name === 'eval')
  const below = segments.slice(evals + 1).join('/')
  // The evals of a skill that is called as the folder of overlays is.
  if (evals >= 0 && /^setup\/[^/]+$/.test(below) && ANSWERS.test(below)) return 'contains the expected answers'
  if (segments.some((name, index) => index > evals && index < segments.length - 1 && FIXTURE_FOLDERS.has(name)))
    return null
  if (SECRETS.test(segments.at(-1) ?? '')) return 'may contain secrets'
  return evals >= 0 && ANSWERS.test(below) ? 'contains the expected answers' : null
}

/** Whether the name of a file or folder is one under which projects keep secrets. */
export function isSecret(name: string): boolean {
  return name.startsWith('.env') || SECRETS.test(name)
}

/** Names of files that list cases with what is expected of them. */
export const ANSWER_FILES: RegExp =
  /(?:^|\/)(?:evals?|triggers|trigger[-_](?:cases|evals?|fixtures)|eval_queries)\.json$/

/** Folders of trigger queries that are called as a file of them is, beside or in a skill. */
export const QUERY_FOLDERS: readonly string[] = ['-', '_'].flatMap((dash) =>
  ['cases', 'eval', 'evals', 'queries'].map((name) => `trigger${dash}${name}`),
)

const FIXTURE_FOLDERS: ReadonlySet<string> = new Set(['fixtures', 'files', 'workspaces', 'repos', 'setup'])
const SECRETS = /^\.(?:env(?!\.(?:dist|example|sample|template)$).*|netrc|npmrc|pypirc)$/
const ANSWERS =
  /^(?:cases|golden|recordings|reports|scenarios)(?:\/|$)|^(?:[^/]+\/)?(?:eval-config|evals?|triggers|trigger[-_](?:cases|evals?|fixtures|queries)|eval_queries)\.json$/

/** Folders that never hold a suite, wherever they are. */
export const NEVER_SUITE_FOLDERS: readonly string[] = [
  '.git',
  'baselines',
  'node_modules',
  'recordings',
  'reports',
  'results',
  'runs',
  'scenarios',
]

/** Folders below a folder of evals that never hold a suite, though what is in them may look like one. */
export const NEVER_BELOW_EVALS: readonly string[] = ['benchmark', 'fixtures', 'mocks', 'schemas', 'workspace']

/** The format of tests in TypeScript. Apart from the list of formats: a worker needs the name alone. */
export const TEST_FORMAT = 'typescript'
