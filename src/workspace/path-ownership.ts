import { AgentEvalsError } from '../errors.ts'
import { assertSafePath, foldPath } from './safe-path.ts'

/** Who owns which path of a workspace, so that nothing is replaced unnoticed. */
export interface PathOwnership {
  /** Claims a path for the engine's installation, which may replace its own; returns whose file is replaced. */
  install(path: string, owner: string): string | null
  /** Claims a path for a case's own file; refuses one that is taken, in whatever spelling. */
  add(path: string, entry: string): void
}

/** Starts with the paths of engines and of git: an installation may write there, a case may not. */
export function createPathOwnership(reserved: readonly string[]): PathOwnership {
  const files = new Map<string, string>()
  const folders = new Map<string, string>()

  const claim = (path: string, owner: string): void => {
    const segments = foldPath(path).split('/')
    for (let length = 1; length < segments.length; length += 1) folders.set(segments.slice(0, length).join('/'), owner)
    files.set(segments.join('/'), owner)
  }

  const takenBy = (path: string): string | null => {
    const segments = foldPath(path).split('/')
    const whole = segments.join('/')
    const above = segments.map((_, index) => files.get(segments.slice(0, index + 1).join('/')))
    return above.find((owner) => owner !== undefined) ?? folders.get(whole) ?? null
  }

  return {
    install(path, owner) {
      assertSafePath(path, `${owner} installs ${JSON.stringify(path)}, which`)
      const replaced = takenBy(path)
      claim(path, owner)
      return replaced
    },
    add(path, entry) {
      assertSafePath(path, entry)
      const folded = foldPath(path)
      const isOfEngine = reserved.some((own) => folded === own || folded.startsWith(`${own}/`))
      const isReserved = isOfEngine || folded.split('/').includes('.git')
      const owner = isReserved ? 'the engine' : takenBy(path)
      if (owner === null) {
        claim(path, entry)
        return
      }
      throw new AgentEvalsError(
        'unsafe-path',
        `${entry} would replace a file of ${owner}. Give it another path in the workspace.`,
      )
    },
  }
}
