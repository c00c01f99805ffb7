/**
 * Why no session may read what is at a path of a project, as the end of a sentence about it; `null` where it may.
 * `path` is `/`-separated. A file below the fixtures is data, whatever it is called.
 */
export function whyHidden(path: string): string | null {
  const segments = path.toLowerCase().split('/')
  if (segments.includes('.git')) return 'is part of a git repository'
  const evals = segments.findIndex((name) => name === 'evals' || name === 'eval')
  if (segments.some((name, index) => index > evals && index < segments.length - 1 && FIXTURE_FOLDERS.has(name)))
    return null
  if (SECRETS.test(segments.at(-1) ?? '')) return 'may contain secrets'
  return evals >= 0 && ANSWERS.test(segments.slice(evals + 1).join('/')) ? 'contains the expected answers' : null
}

/** Whether the name of a file or folder is one under which projects keep secrets. */
export function isSecret(name: string): boolean {
  return name.startsWith('.env') || SECRETS.test(name)
}

/** Names of files that list cases with what is expected of them. */
export const ANSWER_FILES: RegExp =
  /(?:^|\/)(?:evals?|triggers|trigger[-_](?:cases|evals?|fixtures)|eval_queries)\.json$/

const FIXTURE_FOLDERS: ReadonlySet<string> = new Set(['fixtures', 'files', 'workspaces', 'repos', 'setup'])
const SECRETS = /^\.(?:env(?!\.(?:dist|example|sample|template)$).*|netrc|npmrc|pypirc)$/
const ANSWERS =
  /^(?:cases|golden|recordings|reports|scenarios)(?:\/|$)|^(?:[^/]+\/)?(?:eval-config|evals?|triggers|trigger[-_](?:cases|evals?|fixtures|queries)|eval_queries)\.json$/
