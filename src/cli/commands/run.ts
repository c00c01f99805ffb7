import { resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { flagOf, variableOf, variableOptions } from '../../options/option.ts'
import { OPTIONS } from '../../options/options.ts'
import { resolveOptions } from '../../options/resolve-options.ts'
import { describeNothing, findPlace, narrow, type Place } from '../find/find-place.ts'
import { defaultAgentsRoot, findGolden, type GoldenScope } from '../find/golden-scope.ts'
import { loadSuites, type LoadedSuites } from '../find/load-suites.ts'
import { requireTarget, resolveFilter, type FilterMatch } from '../find/resolve-filters.ts'
import { searchFolder } from '../find/search.ts'
import { optionHelp, readRunArguments, type RunArguments } from '../run-arguments.ts'
import { isFolder } from '../../files.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { ChosenCases } from '../../vitest/chosen-cases.ts'
import type { Command } from '../command.ts'

/** `agent-evals run`: the evals, and nothing but them, with Vitest. */
export const run: Command = {
  name: 'run',
  usage: '[filter...] [options] [options of vitest]',
  summary: 'Run all evals, or those that match a case name, an agent or a path.',
  details: [
    'A filter is a case name or id, an agent, or part of a path, such as evals/cases/x.yaml:3 or evals/evals.json:3:5.',
    'No configuration is needed. A vitest.config.ts is used if there is one.',
    '',
    ...optionHelp(),
    '',
    'Every option also has an environment variable, such as AGENT_EVALS_ENGINE.',
    'Exit code: 1 when a case failed; else 2 when one is errored or nothing ran; 130 when interrupted.',
  ],
  async run(argv) {
    const { environment, test, rest } = readRunArguments(argv, process.cwd())
    Object.assign(process.env, environment)
    const { target, category, agentsRoot, summaryOnly } = checkOptions(environment)

    // Vitest is slow to load: a mistake in the arguments is reported before.
    const { readVitestArguments } = await import('../../vitest/command/vitest-arguments.ts')
    const { filters, options } = readVitestArguments(rest)
    const named = typeof options.root === 'string' ? options.root : null
    requireFolder('root', named)
    requireFolder('agents-root', agentsRoot)
    const scope = { filters, category, test }
    // A command that names projects may mean other files than evals.
    const isWhole = filters.length === 0 && (target ?? category ?? test) === null
    const place = placeOf(named, agentsRoot)
    const isAll = isWhole && place.within === place.root
    const chosen =
      isAll || options.project !== undefined
        ? { root: place.root, filters, cases: new Map<string, ReadonlySet<string>>() }
        : await choose(scope, target, place, named === null && agentsRoot === null)

    const { startEvals } = await import('../../vitest/command/start-evals.ts')
    const quiet = summaryOnly && options.reporters === undefined ? { reporters: [{}] } : {}
    const { root } = chosen
    const elsewhere = root === process.cwd() ? {} : { root }
    return startEvals({
      filters: chosen.filters,
      cases: chosen.cases,
      options: { ...options, ...quiet, ...elsewhere, includeTaskLocation: true },
    })
  },
}

// Vitest would say that it found no tests there.
function requireFolder(flag: string, path: string | null): void {
  if (path === null || isFolder(path)) return
  throw new AgentEvalsError('invalid-options', `--${flag} names ${path}, which is not a directory.`)
}

interface Chosen {
  /** Absolute path. */
  readonly root: string
  /** For Vitest. */
  readonly filters: readonly string[]
  /** What the filters leave of the cases of one line. */
  readonly cases: ChosenCases
}

// Agents may be outside of the repository: their folder is the root then, since no project can hold files beyond its own.
function placeOf(named: string | null, agentsRoot: string | null): Place {
  if (named === null && agentsRoot === null) return findPlace(process.cwd())
  const here = resolve(named ?? '.')
  const root = agentsRoot === null || agentsRoot === here || pathBelow(here, agentsRoot) !== null ? here : agentsRoot
  return { root, within: root }
}

async function choose(
  scope: GoldenScope,
  target: string | null,
  { root, within }: Place,
  isUsual: boolean,
): Promise<Chosen> {
  const searched = narrow(await searchFolder(root, process.env), within)
  if (target !== null) requireTarget(target, searched)
  const isHere = scope.filters.every((name) => searched.suites.some(({ agent }) => agent?.name === name))
  const usual = !isUsual || isHere ? null : defaultAgentsRoot(scope.filters)
  if (usual !== null) return { root: usual, ...filtersOf(scope, await loadSuites(usual)) }
  const found = filtersOf(scope, searched)
  if (found.filters.length > 0 || within === root) return { root, ...found }
  if (searched.suites.length + searched.evalFiles.length === 0)
    throw new AgentEvalsError('no-match', describeNothing(searched))
  return { root, filters: [`${within}/`], cases: new Map() }
}

function filtersOf(scope: GoldenScope, searched: LoadedSuites): Pick<Chosen, 'cases' | 'filters'> {
  if (scope.category !== null || scope.test !== null) return { filters: findGolden(scope, searched), cases: new Map() }
  const matches = scope.filters.map((filter) => resolveFilter(filter, searched))
  for (const { refusal } of matches) if (refusal !== null) throw new AgentEvalsError('invalid-options', refusal)
  return { filters: matches.flatMap(({ filters }) => filters), cases: idsByFile(matches) }
}

function idsByFile(matches: readonly FilterMatch[]): ChosenCases {
  const ids = new Map<string, Set<string>>()
  for (const { suite, evalCase } of matches.flatMap(({ cases }) => cases ?? []))
    ids.set(suite.file, (ids.get(suite.file) ?? new Set()).add(evalCase.id))
  return ids
}

// The plugin reads the same variables; here a mistake in a flag is reported in the words of the command line.
function checkOptions(
  flags: RunArguments['environment'],
): Pick<ResolvedOptions, 'agentsRoot' | 'category' | 'summaryOnly' | 'target'> {
  try {
    return resolveOptions({}, process.env)
  } catch (error) {
    if (!(error instanceof AgentEvalsError)) throw error
    const named = variableOptions(OPTIONS).find(
      ([name]) => variableOf(name) in flags && error.message.startsWith(`${variableOf(name)} `),
    )
    if (named === undefined) throw error
    const message = error.message.replace(variableOf(named[0]), `--${flagOf(...named)}`)
    throw new AgentEvalsError(error.code, message, { cause: error })
  }
}
