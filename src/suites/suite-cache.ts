import { basename } from 'node:path'
import { loadAgentPackage } from './agent/agent-package.ts'
import { loadAgent, type LoadedAgent } from './agent/load-agent.ts'
import { openTrackedFs, type TrackedFs } from '../documents/tracked-fs.ts'
import { parseAamConfig } from './formats/aam/aam-config.ts'
import { loadCasePlugin, loadPackage } from '../packages/load-package.ts'
import { loadSkillPackage, type SkillPackageRequest } from './skills/skill-package.ts'
import { discoverSkillSuites } from './skills/find-suites.ts'
import type { SkillSearch, SkillSuites } from './skills/skill-suites.ts'
import { NO_NAMES, type KnownNames } from './known-names.ts'
import type { FieldsOption } from './formats/skill-evals/vocabulary.ts'
import type { AamConfig } from './formats/aam/aam-defaults.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { SkillTrial } from './skills/skill-trial.ts'
import { kindOf } from './kinds.ts'
import type { CaseMatter, CasePart, Suite } from './suite.ts'

/** What many suites share, read once while nothing it was read from changes. */
export interface SuiteCache {
  readonly packageOf: (root: string) => Promise<AgentPackage>
  readonly configOf: (file: string) => Promise<AamConfig>
  /** The package as this case of the suite gets it. */
  readonly packageFor: (
    suite: Pick<Suite, 'agent' | 'packageRoot' | 'skill'>,
    evalCase: CasePart<'skill'>,
  ) => Promise<AgentPackage>
  /** The plugins of a case of `claude plugin eval`, in its order; none for every other case. */
  readonly pluginsOf: (suite: Pick<Suite, 'packageRoot'>, evalCase: CaseMatter) => Promise<readonly AgentPackage[]>
  /** The agent that the folder `evals` is of. */
  readonly agentOf: (evalsDir: string) => Promise<LoadedAgent>
  /** The suites of skills below a Vitest root, looked for once. */
  readonly skillSuites: (root: string) => Promise<SkillSuites>
  /** Looks for them again. What was a suite before can still be read, to name what is wrong with it now. */
  readonly searchAgain: (root: string) => void
  readonly ownPaths: readonly string[]
  /** The plugin's option `fields`. */
  readonly fields: FieldsOption
}

/** What a cache is made with. */
export interface SuiteCacheOptions {
  readonly names?: KnownNames
  readonly search?: SkillSearch | undefined
  /** Suites of skills that were found before, by Vitest root. */
  readonly found?: ReadonlyMap<string, SkillSuites> | undefined
  readonly trial?: SkillTrial | null
}

/** Creates a cache for one Vitest process. */
export function createSuiteCache({
  names = NO_NAMES,
  search,
  found = new Map(),
  trial = null,
}: SuiteCacheOptions = {}): SuiteCache {
  const packageOf = remember((root, fs) => loadPackage(root, fs))
  const skillPackageOf = remember(async (key, fs) => {
    const { packageRoot, ...request } = JSON.parse(key) as SkillKey
    return loadSkillPackage({ ...request, trial, package: await packageOf(packageRoot) }, fs)
  })
  const agentPackageOf = remember((dir, fs) => loadAgentPackage({ dir, name: basename(dir) }, fs))
  const loadedPluginOf = remember(async (key, fs) => {
    const { dir, reportRoot } = JSON.parse(key) as { readonly dir: string; readonly reportRoot: string }
    const plugin = await loadCasePlugin(dir, fs)
    return dir === reportRoot ? plugin : { ...plugin, reportRoot }
  })
  const pluginOf = (dir: string, reportRoot: string): Promise<AgentPackage> =>
    loadedPluginOf(JSON.stringify({ dir, reportRoot }))
  const searched = new Map([...found].map(([root, suites]) => [root, Promise.resolve(suites)]))
  return {
    packageOf,
    pluginsOf: ({ packageRoot }, evalCase) =>
      Promise.all(
        kindOf(evalCase)
          .pluginDirs(evalCase)
          .map((dir) => pluginOf(dir, packageRoot)),
      ),
    packageFor({ packageRoot, skill: owner, agent }, evalCase) {
      if (agent !== undefined) return agentPackageOf(agent.dir)
      const [plugin] = kindOf(evalCase).pluginDirs(evalCase)
      if (plugin !== undefined) return pluginOf(plugin, packageRoot)
      const skill = evalCase.skill ?? owner
      if (skill === undefined) return packageOf(packageRoot)
      const isTrigger = kindOf(evalCase).sees === 'skills'
      return skillPackageOf(JSON.stringify({ packageRoot, skill, isTrigger } satisfies SkillKey))
    },
    agentOf: remember((evalsDir, fs) => loadAgent(evalsDir, fs)),
    skillSuites(root) {
      const known = searched.get(root) ?? discoverSkillSuites(root, search)
      searched.set(root, known)
      return known
    },
    searchAgain(root) {
      const before = this.skillSuites(root)
      const again = discoverSkillSuites(root, search).then(async (now) => rememberSuites(now, await before))
      // The option `evals` may name what is removed just now.
      searched.set(
        root,
        again.catch(() => before),
      )
    },
    configOf: remember(async (file, fs) => parseAamConfig(await fs.readText(file), file, names)),
    ownPaths: names.ownPaths,
    fields: search?.fields ?? {},
  }
}

function rememberSuites(now: SkillSuites, before: SkillSuites): SkillSuites {
  return { ...now, earlier: new Map([...(before.earlier ?? []), ...before.suites]) }
}

interface SkillKey extends Omit<SkillPackageRequest, 'package' | 'trial'> {
  readonly packageRoot: string
}

interface Entry<T> {
  readonly fs: TrackedFs
  readonly value: Promise<T>
  isFresh: boolean
}

function remember<T>(load: (key: string, fs: TrackedFs) => Promise<T>): (key: string) => Promise<T> {
  const entries = new Map<string, Entry<T>>()
  return (key) => {
    const known = entries.get(key)
    if (known !== undefined && (known.isFresh || known.fs.isUnchanged())) return refresh(known)
    const fs = openTrackedFs()
    const entry: Entry<T> = { fs, value: load(key, fs), isFresh: true }
    entries.set(key, entry)
    return refresh(entry)
  }
}

// Looking again costs a stat per file of the package. Suites that are loaded in the same turn share one look.
function refresh<T>(entry: Entry<T>): Promise<T> {
  entry.isFresh = true
  setImmediate(() => {
    entry.isFresh = false
  })
  return entry.value
}
