import { basename, relative } from 'node:path'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { Vite, VitestPluginContext } from 'vitest/node'
import { takesTests } from '../../case/plan/plan.ts'
import { EVAL_FILE_GLOBS, discoverEvals, escapePath, neverSuiteGlobs } from '../../formats/discover.ts'
import { createSuiteCache, filesOf, findSuites } from '../../formats/load-suite.ts'
import { AgentEvalsError, withoutStack } from '../../lib/errors.ts'
import type { AgentEvalsOptions, ResolvedOptions } from '../../options/options.ts'
import { requireEngines, resolveOptions } from '../../options/resolve-options.ts'
import { ownFile } from '../../own-folder.ts'
import { OWN_FILES } from '../modules/suite-modules.ts'
import { CONFIG_FILE, NO_POSTCSS_SEARCH, PLUGIN_NAME, pluginsOf, type AgentEvalsApi } from '../provided.ts'
import { assertProject } from './assert-project.ts'
import { createEvalsPlugin } from './evals-plugin.ts'
import { agentsRootOf, skillSearch } from './suite-search.ts'
import { namesOnlyOurs, projectRoot, readCommand } from './user-projects.ts'

/// <reference types="vitest/config" />

function createPlugin(options: AgentEvalsOptions): Vite.Plugin {
  const resolved = resolveOptions(options, process.env)
  requireEngines(resolved)
  const api: AgentEvalsApi = { projectName: resolved.name, assertName: resolved.assertName, options }
  return {
    name: PLUGIN_NAME,
    // Vitest serves; `vite build` has nothing to do with tests.
    apply: 'serve',
    api,
    async config(config: Vite.UserConfig, { mode }: { readonly mode: string }) {
      if (isProjectOfAnother(config)) return requirePluginInRoot(config)
      Reflect.set(globalThis, IN_ROOT, true)
      refuseTakenName(config, 'name', resolved.name)
      refuseTakenName(config, 'assertName', resolved.assertName)
      const ours = await Promise.all([evalsProject(config, withMode(resolved, mode)), assertProject(config, resolved)])
      const projects = ours.flatMap((project) =>
        project === null ? [] : addWall({ ...project, ...NO_POSTCSS_SEARCH }),
      )
      const { parseCLI } = await import('vitest/node')
      if (namesOnlyOurs(readCommand(process.argv, parseCLI).projects, api)) {
        const alone = keepOurs(config, api)
        return { ...alone, test: { projects } }
      }
      // A run may leave out every project that has this plugin itself.
      if (config.test?.projects !== undefined) config.test.projects = config.test.projects.map(withoutEvidence)
      return { test: { projects: [...rootProject(config), ...projects] } }
    },
    configureVitest: keepEvidenceOut,
  }
}

type UserProject = NonNullable<NonNullable<Vite.UserConfig['test']>['projects']>[number]

function withoutEvidence(project: UserProject): UserProject {
  if (typeof project === 'string') return project
  if (typeof project === 'function') return async (environment) => addWall(await project(environment))
  return project instanceof Promise ? project.then(addWall) : addWall(project)
}

function addWall<C extends { plugins?: Vite.PluginOption[] }>(project: C): C {
  const wall: Vite.Plugin = { name: 'agent-evals:stored-evidence', configureVitest: keepEvidenceOut }
  return { ...project, plugins: [...(project.plugins ?? []), wall] }
}

// What sessions wrote is stored without the names that would make it a test. This is a second wall.
function keepEvidenceOut({ vitest }: Pick<VitestPluginContext, 'vitest'>): void {
  for (const { config } of vitest.projects)
    for (const exclude of [config.exclude, config.typecheck.exclude])
      if (!exclude.includes(STORED_EVIDENCE)) exclude.push(STORED_EVIDENCE)
}

const STORED_EVIDENCE = '**/.vitest/**'

// Vitest resolves the root's configuration again for projects that extend it; only the root declares ours.
function isProjectOfAnother(config: Vite.UserConfig): boolean {
  return pluginsOf(config).some(({ name }) => name === 'vitest:project')
}

// A package may have loaded another copy of this module, as pnpm installs it, so a variable of ours would not do.
const IN_ROOT = Symbol.for('vitest-agent-evals:in-root')

// Vitest reads projects from the root's configuration alone: here the plugin would do nothing, and not say so.
function requirePluginInRoot({ root = process.cwd() }: Vite.UserConfig): void {
  if (Reflect.get(globalThis, IN_ROOT) === true) return
  const message = `agentEvals() is in the configuration of ${root}, which is a project of another configuration. Vitest takes projects from the root configuration only. Move agentEvals() there: it finds the evals of every package.`
  throw withoutStack(new AgentEvalsError('invalid-options', message))
}

function refuseTakenName(config: Vite.UserConfig, option: 'assertName' | 'name', name: string): void {
  if (!(config.test?.projects ?? []).some((project) => nameOf(project) === name)) return
  const message = `The configuration already has a project "${name}". Rename the project of this plugin: agentEvals({ ${option}: 'agent-${name}' }).`
  throw withoutStack(new AgentEvalsError('project-name-taken', message))
}

function nameOf(project: UserProject): string | undefined {
  if (typeof project !== 'object' || !('test' in project)) return undefined
  const label = project.test?.name
  return typeof label === 'object' ? label.label : label
}

/**
 * Leaves out the user's own projects, of which no test is to run, and their PostCSS: Vitest 5 resolves every project before
 * it looks which of them are named.
 */
export function keepOurs(config: Vite.UserConfig, { projectName, assertName }: AgentEvalsApi): Vite.UserConfig {
  const isOurs = (project: UserProject): boolean => [projectName, assertName].includes(nameOf(project) ?? '')
  if (config.test?.projects !== undefined) config.test.projects = config.test.projects.filter(isOurs)
  return NO_POSTCSS_SEARCH
}

// Naming the root's own configuration file keeps the root as a project, with its name, and doubles nothing.
function rootProject(
  config: Vite.UserConfig & { configFile?: string | false },
): (string | TestProjectInlineConfiguration)[] {
  if (config.test?.projects !== undefined) return []
  const file = config.configFile
  if (typeof file === 'string' && CONFIG_FILE.test(basename(file))) return [file]
  return [{ extends: true, test: { name: 'unit' } }]
}

// Vitest's own flag has two words that only mean something to evals of skills.
function withMode(options: ResolvedOptions, mode: string): ResolvedOptions {
  return mode === 'artifact' || mode === 'trigger' ? { ...options, kind: mode } : options
}

async function evalsProject(
  config: Vite.UserConfig,
  options: ResolvedOptions,
): Promise<TestProjectInlineConfiguration> {
  const root = projectRoot(config, options)
  const cache = createSuiteCache({ search: skillSearch(root, options) })
  const isNamed = options.evals !== null
  const [{ others }, files, skills] = await Promise.all([
    discoverEvals(root),
    findSuites({ root, agentsRoot: agentsRootOf(root, options), cache }, isNamed),
    cache.skillSuites(root),
  ])
  const found = files.searched.map((file) => relative(root, file))
  const everywhere = isNamed ? [] : [...filesOf().flatMap(({ globs = [] }) => globs), ...EVAL_FILE_GLOBS]
  const concurrency = options.concurrency ?? LIVE_CONCURRENCY
  return {
    // Nothing of the user's own tests: their environment, setup files and globs would be concatenated. Vitest 5
    // extends by default; Vitest 4 has no word for what is its default.
    ...({ extends: false } as object),
    ...(options.root === null ? {} : { root: options.root }),
    ...importsOf(config),
    plugins: [
      ...pluginsOf(config).filter(({ name }) => PATH_PLUGINS.has(name)),
      createEvalsPlugin(options, new Map([[root, { files, skills }]])),
    ],
    test: {
      name: { label: options.name, color: 'magenta' },
      include: [...(options.include ?? [...everywhere, ...found.map(escapePath)])],
      exclude: [
        ...neverSuiteGlobs(found),
        ...(takesTests(options) ? others.map(escapePath) : EVAL_FILE_GLOBS),
        ...options.exclude,
      ],
      setupFiles: [ownFile('vitest/runtime/setup.js')],
      includeTaskLocation: true,
      // A case's deadline starts when its run is granted; time spent waiting must not count.
      testTimeout: 0,
      hookTimeout: 60_000,
      pool: 'threads',
      // 5 to 7 ms a file instead of 150: agents are processes of their own, nothing is shared between cases.
      isolate: false,
      maxWorkers: Math.min(concurrency, MOST_WORKERS),
      maxConcurrency: Math.max(concurrency, MOST_TESTS),
      sequence: { groupOrder: 1, concurrent: true },
      // Outside node_modules, as where the package is linked, each of its files would be transformed for each worker.
      server: { deps: { external: [OWN_FILES] } },
      ...options.test,
    },
  }
}

/** What decides where an import of an eval in TypeScript leads, and the constants that its code may name. */
function importsOf({ resolve: imports, ssr, define }: Vite.UserConfig): Vite.UserConfig {
  return {
    ...(imports === undefined ? {} : { resolve: imports }),
    ...(ssr?.resolve === undefined ? {} : { ssr: { resolve: ssr.resolve } }),
    // Vitest takes out of it what it sets when a worker starts.
    define: { ...define },
  }
}

// Vite, which has an option for the same by now, looks for them by these names too.
const PATH_PLUGINS: ReadonlySet<string> = new Set(['vite-tsconfig-paths', 'vite-plugin-tsconfig-paths'])

const LIVE_CONCURRENCY = 8

// More threads than this cost more memory than they save time.
const MOST_WORKERS = 16

// Tests of one file that are under way; those with a session wait for a place at the gateway, the others for nothing.
const MOST_TESTS = 64

/**
 * Turns the agent-eval files of a repository into tests: adds the project `evals`, and the project `assert` if skills,
 * hooks or commands have free `tests/`.
 *
 * @param options see {@link AgentEvalsOptions}; the environment (`AGENT_EVALS_*`) overrides them.
 * @throws {AgentEvalsError} `invalid-options` for an unknown or wrong option, `project-name-taken` when the
 * configuration already has a project of that name.
 * @example
 * export default defineConfig({ plugins: [agentEvals()] })
 */
export function agentEvals(options: AgentEvalsOptions = {}): Vite.Plugin {
  return createPlugin(options)
}
