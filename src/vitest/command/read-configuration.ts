import { basename, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { resolveConfig, type Vite } from 'vitest/node'
import { AgentEvalsError } from '../../lib/errors.ts'
import { foldersUpwards, listNames } from '../../lib/files.ts'
import type { AgentEvalsOptions } from '../../options/options.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { agentEvals, keepOurs } from '../plugin/create-plugin.ts'
import { NO_POSTCSS_SEARCH, PLUGIN_NAME, pluginsOf, type AgentEvalsApi } from '../provided.ts'
import { namesOnlyOurs } from '../plugin/user-projects.ts'
import { cacheOf, holdOutput } from './read-tests.ts'

/** What the Vitest configuration of a folder says about evals. */
export interface Configuration {
  /** Absolute path of the folder that is searched. */
  readonly root: string
  readonly options: AgentEvalsOptions
}

/**
 * Reads what a folder's configuration gives our plugin: nothing where it has no such plugin.
 *
 * @throws {AgentEvalsError} `invalid-options` where it cannot be loaded; what our plugin itself throws.
 */
export async function readConfiguration(folder: string): Promise<Configuration> {
  const resolved = await load(folder)
  // Vitest 5 returns it alone, Vitest 4.1 beside its own.
  const viteConfig = ('viteConfig' in resolved ? resolved.viteConfig : resolved) as Vite.ResolvedConfig
  const plugin: Vite.Plugin | undefined = findPlugin(viteConfig)
  if (plugin === undefined) return { root: folder, options: {} }
  const { options } = plugin.api as AgentEvalsApi
  return { root: resolve(viteConfig.root, options.root ?? '.'), options }
}

// Vitest 5 resolves projects, too.
const withoutProjects: Vite.Plugin = {
  name: 'agent-evals:options',
  enforce: 'post',
  config({ test }: Vite.UserConfig) {
    if (test !== undefined) delete test.projects
    return NO_POSTCSS_SEARCH
  },
}

// A configuration may print what it likes, and standard output may be JSON of ours.
async function load(folder: string): Promise<object> {
  const output = holdOutput()
  try {
    const resolved: object = await loadUnwritable((loader) =>
      resolveConfig({ root: folder, watch: false }, { logLevel: 'silent', plugins: [withoutProjects], ...loader }),
    )
    output.release('stderr')
    return resolved
  } catch (error) {
    throw brokenConfiguration(error, { folder, advice: ', or run lint --no-config, which does not load it' })
  } finally {
    output.drop()
  }
}

/** Words the failure to load a Vitest configuration as one sentence and what to do. Our own errors stay as they are. */
export function brokenConfiguration(error: unknown, { folder, file, advice }: FailedConfiguration): AgentEvalsError {
  if (error instanceof AgentEvalsError) return error
  const path = file ?? findConfiguration(folder)
  const shown = path === null ? `the Vitest configuration of ${folder}` : pathFrom(process.cwd(), path)
  const reason = reasonOf(error, path === null ? null : basename(path))
  const isMissing = typeof error === 'object' && error !== null && 'code' in error && MISSING.has(String(error.code))
  const todo = isMissing ? `Install the packages of this repository, or fix the import${advice}.` : `Fix it${advice}.`
  return new AgentEvalsError('invalid-options', `Cannot load ${shown}: ${reason} ${todo}`, { cause: error })
}

interface FailedConfiguration {
  /** Absolute path of the folder whose configuration it is. */
  readonly folder: string
  /** Absolute path of the configuration, where it was named. */
  readonly file?: string | undefined
  /** What else can be done, after "Fix it". */
  readonly advice: string
}

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

// The bundler has the mistakes of a file in a list, with pictures of the lines.
function reasonOf(error: unknown, name: string | null): string {
  const listed = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined
  const first: unknown = Array.isArray(listed) ? listed[0] : undefined
  const plain = stripVTControlCharacters(messageOf(first ?? error))
  const line = plain.split('\n').find((one) => one.trim() !== '') ?? ''
  const [, row] = /:(\d+):\d+/.exec(plain.split('\n')[1] ?? '') ?? []
  // Vite loads a copy beside the file.
  const text = line
    .trim()
    .replace(/^\[\w+\] /, '')
    .replace(/ imported from \S*\.timestamp-\S+$/, '')
  const named = name === null ? text : text.replace(/(?<!\S)\S*\.timestamp-[\w-]+\.mjs/, name)
  return `${named.replace(/(?<![.\s])[.\s]+$/, '')}${first === undefined || row === undefined ? '' : ` in line ${row}`}.`
}

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return String(error)
}

// As Vitest looks for it.
function findConfiguration(folder: string): string | null {
  for (const at of foldersUpwards(folder)) {
    const names = listNames(at).filter((name) => /^vite(?:st)?\.config\.[cm]?[jt]s$/.test(name))
    const [first] = names.toSorted((a, b) => Number(b.startsWith('vitest')) - Number(a.startsWith('vitest')))
    if (first !== undefined) return join(at, first)
  }
  return null
}

/// <reference types="vitest/config" />

/** Which of our projects a command runs. */
export type OurProject = 'assert' | 'evals'

/** Adds the plugin where no configuration has it, and names its project unless projects are named: nothing else is to run. */
export function evalsUnlessConfigured(projects: readonly string[], kind: OurProject): Vite.Plugin {
  const choose = (config: Vite.UserConfig, plugin: Vite.Plugin): Vite.UserConfig => {
    const api = plugin.api as AgentEvalsApi
    if (projects.length === 0) return { ...keepOurs(config, api), ...onlyProject(api, kind) }
    return namesOnlyOurs(projects, api) ? keepOurs(config, api) : {}
  }
  return {
    name: 'agent-evals:command',
    async config(config: Vite.UserConfig, environment) {
      const configured = findPlugin(config)
      if (configured !== undefined) return choose(config, configured)

      const plugin: Vite.Plugin = agentEvals()
      const hook = typeof plugin.config === 'function' ? plugin.config : plugin.config?.handler
      const added = ((await hook?.call(this, config, environment)) ?? {}) as Vite.UserConfig
      const chosen = choose(added, plugin)
      return { ...cacheOf(resolve(config.root ?? '.')), ...chosen, test: { ...added.test, ...chosen.test } }
    },
  }
}

/** Our plugin among those of a configuration. */
export function findPlugin(config: { readonly plugins?: unknown }): Vite.Plugin | undefined {
  return pluginsOf(config).find(({ name }) => name === PLUGIN_NAME)
}

// Vitest takes the filter from a configuration too; its types know it of the command line only.
function onlyProject({ projectName, assertName }: AgentEvalsApi, kind: OurProject): Vite.UserConfig {
  return { test: { project: [kind === 'evals' ? projectName : assertName] } as Vite.UserConfig['test'] & object }
}

/**
 * Loads a configuration, and where the folder is read-only once more without writing: Vite's usual loader puts a
 * compiled copy beside the configuration.
 */
export async function loadUnwritable<T>(
  loadWith: (loader: { readonly configLoader?: 'runner' }) => Promise<T>,
): Promise<T> {
  try {
    return await loadWith({})
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
    if (!UNWRITABLE.has(code)) throw error
    return loadWith({ configLoader: 'runner' })
  }
}

const UNWRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS'])
