import { basename, dirname, join } from 'node:path'
import { warningAt, warningIn, type Issue } from '../lib/documents/document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { checkEnvName } from '../lib/env-name.ts'
import { objectOf } from '../lib/json.ts'
import { firstInSentence } from '../lib/lists.ts'
import { loadNativeHooks } from './hooks.ts'
import { CLAUDE_VARIABLES, PERSONAL_SETTINGS } from './package-root.ts'
import { findingsOf, noParts, type HookGroup, type Loaded, type ProjectSettings } from './package.ts'
import { readData } from './read-files.ts'

/** What {@link loadSettings} returns. */
export interface LoadedSettings extends Loaded<HookGroup> {
  /** Absent where there is no settings file. */
  readonly settings?: ProjectSettings
}

/** Reads a project's settings file. One finding names what sessions do not have of it. */
export async function loadSettings(file: string, fs: TrackedFs): Promise<LoadedSettings> {
  const hasPersonal = fs.look(join(dirname(file), basename(PERSONAL_SETTINGS))) !== null
  const personal = hasPersonal ? [`${PERSONAL_SETTINGS} (one person's)`] : []
  const { document, issues } = await readData(file, 'settings', fs)
  if (document === null) {
    return noParts(null, issues.length === 0 && hasPersonal ? [ignored(file, personal)] : issues)
  }
  if (document.issues.length > 0) return noParts(null, document.issues)

  const { hooks, env, permissions, disableAllHooks, ...others } = objectOf(document.value)
  const { deny, allow: _allowed, ...modes } = objectOf(permissions)
  const variables = Object.entries(objectOf(env)).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  const without = [
    ...Object.keys(modes).map((name) => `permissions.${name}`),
    ...variables.filter((one) => !isFree(one)).map(([name]) => `env.${name}`),
    ...Object.keys(others).filter((name) => name !== '$schema'),
    ...personal,
  ]
  const disablesHooks = disableAllHooks === true
  const loaded = hooks === undefined ? noParts(null, []) : loadNativeHooks(document, ['hooks'])
  const disabled = warningAt(document, ['disableAllHooks'], 'hooks-disabled', 'no hook runs in sessions')
  return {
    parts: loaded.parts,
    findings: [
      ...loaded.findings,
      ...findingsOf(null, [
        ...(without.length === 0 ? [] : [ignored(file, without)]),
        ...(disablesHooks ? [disabled] : []),
      ]),
    ],
    settings: {
      deny: Array.isArray(deny) ? deny.filter((rule) => typeof rule === 'string') : [],
      env: Object.fromEntries(variables.filter(isFree)),
      disablesHooks,
    },
  }
}

function ignored(file: string, settings: readonly string[]): Issue {
  return warningIn(file, 'settings-without-effect', `sessions run without ${firstInSentence(settings, 10)}`)
}

function isFree([name]: readonly [string, string]): boolean {
  return checkEnvName(name, CLAUDE_VARIABLES) === null
}
