import type { AgentPackage } from '../packages/package.ts'

/** Whether something that stays out of a copy is worth a word: answers, secrets and litter always stay out. */
export function isWorthNaming(path: string, isFolder: boolean, pkg?: Pick<AgentPackage, 'only'>): boolean {
  if (pkg?.only !== undefined && !pkg.only.some((part) => path === part || path.startsWith(`${part}/`))) return false
  const parts = path.split('/')
  if (parts.some((part) => NEVER.has(part))) return false
  const name = parts.at(-1) ?? ''
  return isFolder || (!name.startsWith('.env') && !name.startsWith('.git') && !name.endsWith('.pyc'))
}

const NEVER: ReadonlySet<string> = new Set([
  '.DS_Store',
  '.git',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pytest_cache',
  '.vitest',
  'Thumbs.db',
  '__pycache__',
  'evals',
  'tests',
])

/** Whether all that was left out are dependencies and hidden files, which every project has. */
export function isUsual(paths: readonly string[]): boolean {
  return paths.every((path) => USUAL.test(path))
}

const USUAL = /^(?:[^(]*\/)?(?:node_modules|venv|\.[^/]+)\/?$/

/** One sentence on what stays out of the copies of a folder, and what brings it in. */
export function describeLeftOut(what: string, paths: readonly string[], advice?: string): string {
  const shown = paths.slice(0, MOST).join(', ')
  const more = paths.length > MOST ? ` and ${paths.length - MOST} more` : ''
  return `Copies of ${what} leave out ${shown}${more}.${advice === undefined ? '' : ` ${advice}`}`
}

const MOST = 10
