import { createHash } from 'node:crypto'
import { dirname, relative, sep } from 'node:path'
import { AgentEvalsError } from '../lib/errors.ts'
import { checkoutAround, linkOnTheWay } from '../lib/files.ts'
import { askGit } from '../sandbox/process/git.ts'
import { readRecordingText } from './store.ts'

/** The recordings and scenarios of a commit, which are believed: plain JSON, for every worker. */
export interface AnswerReference {
  /** As the user named the commit. */
  readonly ref: string
  /** Absolute path of the checkout. */
  readonly checkout: string
  /** Git's hash of each file, by its path in the checkout. */
  readonly hashes: Readonly<Record<string, string>>
  /** Why a case whose answers differ must not go live; `null` when it may. */
  readonly blockedReason: string | null
}

/**
 * Asks Git, once, which recordings and scenarios a commit holds.
 *
 * @throws {AgentEvalsError} `invalid-options` where there is no checkout, or Git does not know the commit.
 */
export async function readReference(
  root: string,
  ref: string,
  blockedReason: string | null = null,
): Promise<AnswerReference> {
  const fail = (why: string): AgentEvalsError => new AgentEvalsError('invalid-options', `--require-live ${ref}: ${why}`)
  const checkout = checkoutAround(root)
  if (checkout === null)
    throw fail(
      `${root} is in no checkout of Git, so nothing says which recordings and scenarios changed. Omit the option.`,
    )
  const hashes: Record<string, string> = {}
  // A path that Git quotes is not found, so its file counts as changed.
  const onLine = (line: string): void => {
    const [, hash = '', path = ''] = /^\d+ blob ([0-9a-f]+)\t(.*)$/.exec(line) ?? []
    if (ANSWERS.test(path)) hashes[path] = hash
  }
  const answered = await askGit(root, ['ls-tree', '-r', '--full-tree', ref], { onLine, deadlineMs: 60_000 })
  if (answered === null)
    throw fail(
      'Git knows no such commit. Name a branch, tag or commit of this checkout, and fetch it in CI (fetch-depth: 0).',
    )
  return { ref, checkout, hashes, blockedReason }
}

/**
 * Whether a recording or scenario is another one than in the commit: added, changed or deleted, committed or not. One that
 * is reached through a link, or belongs to another checkout, is compared with nothing and counts as changed.
 */
export function isChangedSince({ checkout, hashes }: AnswerReference, file: string): boolean {
  const path = relative(checkout, file).replaceAll(sep, '/')
  const expected = Object.hasOwn(hashes, path) ? hashes[path] : undefined
  const text = readOrRefuse(file)
  if (text === null) return expected !== undefined
  if (expected === undefined || text === REFUSED) return true
  if (linkOnTheWay(checkout, file) !== null || checkoutAround(dirname(file)) !== checkout) return true
  // Git may have written line ends of this machine.
  return ![text, text.replaceAll('\r\n', '\n')].some((one) => hashOf(one, expected) === expected)
}

const REFUSED = Symbol('not readable')

function readOrRefuse(file: string): string | typeof REFUSED | null {
  try {
    return readRecordingText(file)
  } catch {
    return REFUSED
  }
}

// As Git hashes a file: with SHA-1, or with SHA-256 in a repository that was made so.
function hashOf(text: string, like: string): string {
  const bytes = Buffer.from(text)
  return createHash(like.length === 40 ? 'sha1' : 'sha256')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
}

// An option names the folder of scenarios.
const ANSWERS = /(?:^|\/)evals\/recordings\/.*\.json$|\.yaml$/
