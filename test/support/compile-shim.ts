import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { REPOSITORY } from './repository.ts'

/** Compiles the hook shim alone into a folder and returns its path: the sandbox shows it as one file too. */
export function compileShim(folder: string): string {
  const source = join(REPOSITORY, 'src/engines/hooks/hook-shim.ts')
  const options = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--rewriteRelativeImportExtensions']
  execFileSync(
    join(REPOSITORY, 'node_modules/.bin/tsc'),
    ['--ignoreConfig', ...options, '--noCheck', '--outDir', folder, source],
    { cwd: REPOSITORY },
  )
  return join(folder, 'engines/hooks/hook-shim.js')
}
