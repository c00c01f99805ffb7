import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../json.ts'
import { replaceFile } from '../write-atomically.ts'
import { cacheFolder } from './cache-folder.ts'
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
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(), 'utf8'))
    if (!isJsonObject(value)) return {}
    const entries = Object.entries(value).map(
      ([name, versions]) =>
        [name, Array.isArray(versions) ? versions.filter((one) => typeof one === 'string') : []] as const,
    )
    return Object.fromEntries(entries)
  } catch {
    return {}
  }
}

// Without it the next run is verified again, and nothing else is lost.
function write(verified: Verified): void {
  try {
    mkdirSync(dirname(fileOf()), { recursive: true })
    replaceFile(fileOf(), `${JSON.stringify(verified, null, 2)}\n`)
  } catch {
    return
  }
}

function fileOf(): string {
  return join(cacheFolder(), 'verified-engines.json')
}
