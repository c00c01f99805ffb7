import { statSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './repository.ts'

/** The real claude CLI of the root's `node_modules`; `null` where its platform package is not installed. */
export function claudeExecutable(): string | null {
  const anthropic = join(REPOSITORY, 'node_modules/@anthropic-ai')
  const candidates = [
    join(anthropic, 'claude-code/bin/claude.exe'),
    join(anthropic, `claude-code-${process.platform}-${process.arch}/claude`),
    join(anthropic, `claude-code-${process.platform}-${process.arch}-musl/claude`),
  ]
  return candidates.find(isProgram) ?? null
}

/** The package's own postinstall may not have run; then `claude.exe` is a stub of some hundred bytes. */
function isProgram(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000
}
