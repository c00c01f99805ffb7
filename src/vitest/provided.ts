import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { AssertSettings } from '../case/free-tests/script.ts'
import type { Arm } from '../formats/suite.ts'
import type { JsonValue } from '../lib/json.ts'
import type { AgentEvalsOptions } from '../options/options.ts'
import type { RunSettings } from '../options/settings.ts'
import type { Vite } from 'vitest/node'

/** What a finished case leaves on its test for reporters and editors; the rest is in the journal. */
interface CaseMeta {
  /** `<suite file>#<case id>`. */
  id: string
  outcome: string
  /** What was left out for comparison; such a test never fails the run. */
  arm?: Arm
  /** Given where it is in quarantine: such a test never fails the run. */
  quarantined?: true
  /** Folder of the run below the Vitest root; `null` when no run was started. */
  folder: string | null
}

declare module 'vitest' {
  interface ProvidedContext {
    agentEvals: RunSettings
    agentAsserts: AssertSettings
  }
  interface TaskMeta {
    agentEvals?: CaseMeta
    /** Hash of the code of a test in TypeScript. */
    agentEvalsCode?: string
  }
}

/**
 * Packs what a generated module carries into a short text. Vite and Vitest take modules apart letter by letter, which
 * for thousands of cases takes longer than all else.
 */
export function pack(value: unknown): string {
  return deflateRawSync(JSON.stringify(value), { level: 1 }).toString('base64')
}

/** What was packed. */
export function unpack(text: string): JsonValue {
  return JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString('utf8')) as JsonValue
}

/** How the plugin is found among others. */
export const PLUGIN_NAME = 'agent-evals'

/** The plugins of a configuration, which may be in lists of lists, and absent. */
export function pluginsOf(config: { readonly plugins?: unknown }): readonly Vite.Plugin[] {
  const plugins = ((config.plugins as readonly unknown[] | undefined) ?? []).flat(9)
  return plugins.filter(
    (plugin): plugin is Vite.Plugin => typeof plugin === 'object' && plugin !== null && 'name' in plugin,
  )
}

/** Names of configuration files that Vitest reads. */
export const CONFIG_FILE: RegExp = /^vite(?:st)?(?:\.[\w-]+)?\.config\./

/**
 * Keeps Vite from looking for a configuration of PostCSS. Even one in JSON or package.json names scripts, which Vite runs
 * as soon as it starts: a pull request that changes only data would run code.
 */
export const NO_POSTCSS_SEARCH: Pick<Vite.UserConfig, 'css'> = { css: { postcss: {} } }

/** What the plugin tells our command. */
export interface AgentEvalsApi {
  /** Name of the project that needs an engine. */
  readonly projectName: string
  /** Name of the project of the free tests. */
  readonly assertName: string
  /** As they were given. */
  readonly options: AgentEvalsOptions
}
