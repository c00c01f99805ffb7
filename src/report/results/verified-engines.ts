import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { replaceFile, tryReadJson } from '../../lib/files.ts'
import { formatJson, isJsonObject } from '../../lib/json.ts'
import type { CaseResult } from './result.ts'

/** Whether a run with `triggers: 'verify'` has passed on this machine with this version of an engine. */
export function isVerified(engine: string, version: string): boolean {
  return readVerified()[engine]?.includes(version) === true
}

/** Notes the versions of engines whose first turns agreed with all full sessions of a finished run. */
export function noteVerified(results: readonly Pick<CaseResult, 'engine' | 'runs'>[]): void {
  const compared = results.flatMap(({ engine: { name, version }, runs }) =>
    runs.flatMap(({ decided }) => (decided?.agrees === undefined ? [] : [{ name, version, agrees: decided.agrees }])),
  )
  if (compared.length === 0) return
  const verified = new Map(Object.entries(readVerified()))
  for (const { name, version } of compared) {
    const ofVersion = compared.filter((one) => one.name === name && one.version === version)
    if (version === null || ofVersion.some(({ agrees }) => !agrees)) continue
    verified.set(name, [...new Set([...(verified.get(name) ?? []), version])])
  }
  write(Object.fromEntries(verified))
}

type Verified = Readonly<Record<string, readonly string[]>>

function readVerified(): Verified {
  const value = tryReadJson(fileOf())
  if (!isJsonObject(value)) return {}
  const entries = Object.entries(value).map(
    ([name, versions]) =>
      [name, Array.isArray(versions) ? versions.filter((one) => typeof one === 'string') : []] as const,
  )
  return Object.fromEntries(entries)
}

// Without it the next run is verified again, and nothing else is lost.
function write(verified: Verified): void {
  try {
    mkdirSync(dirname(fileOf()), { recursive: true })
    replaceFile(fileOf(), formatJson(verified))
  } catch {
    return
  }
}

function fileOf(): string {
  return join(cacheFolder(), 'verified-engines.json')
}

/** Folder in the user's home for what every repository shares; it may be removed at any time. */
export function cacheFolder(): string {
  const folder = process.env['XDG_CACHE_HOME'] ?? ''
  return join(folder === '' ? join(homedir(), '.cache') : folder, 'vitest-agent-evals')
}
