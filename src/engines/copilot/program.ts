import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../../json.ts'
import { resolveNativeProgram } from '../find/native-program.ts'
import { tryReadJson } from '../../files.ts'

/** The native program behind npm's wrapper: a wrapper that is killed leaves it running. */
export function copilotProgram(file: string): string {
  const program = process.platform === 'win32' ? 'copilot.exe' : 'copilot'
  return resolveNativeProgram(
    file,
    platforms().map((platform) => `@github/copilot-${platform}/${program}`),
  )
}

/**
 * Where the program has unpacked itself: it does so once for each user, when it is first asked for its version. `null`
 * when it is unknown, and each run unpacks anew.
 */
export function unpackedFolder(
  executable: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const version = versionBeside(executable)
  if (version === null) return null
  const caches = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache')
  const folders = platforms().map((platform) => join(caches, 'copilot/pkg', platform, version))
  return folders.find((folder) => existsSync(join(folder, '.extraction-complete'))) ?? null
}

function versionBeside(executable: string): string | null {
  const manifest = tryReadJson(join(dirname(executable), 'package.json'))
  return isJsonObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : null
}

function platforms(): readonly string[] {
  const { platform, arch } = process
  return platform === 'linux' ? [`linux-${arch}`, `linuxmusl-${arch}`] : [`${platform}-${arch}`]
}
