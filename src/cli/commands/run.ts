import { resolve } from 'node:path'
import { z } from 'zod'
import { AgentEvalsError } from '../../lib/errors.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { OPTIONS, type ResolvedOptions } from '../../options/options.ts'
import { resolveOptions } from '../../options/resolve-options.ts'
import {
  describeNothing,
  findProject,
  hasConfiguration,
  loadSuites,
  narrow,
  searchFolder,
  type ProjectPart,
} from '../find/search.ts'
import { defaultAgentsRoot } from '../find/golden-tests.ts'
import { planAsked, requirePlanned, type AskedCases } from '../find/name-cases.ts'
import { painter } from '../../report/summary/terminal.ts'
import { groupedHelp, nameFlag, readRunArguments, type RunArguments } from '../run-arguments.ts'
import { isFolder } from '../../lib/files.ts'
import type { NamedCases } from '../../case/plan/plan.ts'
import type { Command } from '../flags.ts'

/** `agent-evals run`: the evals, and nothing but them, with Vitest. */
export const run: Command = {
  name: 'run',
  usage: '[filter...] [options] [options of vitest]',
  details: [
    'A filter is the name or id of a case or test, an agent, or part of a path, such as evals/cases/x.yaml:3 or evals/evals.json:3:5.',
    'No configuration is needed. A vitest.config.ts is used if there is one.',
    '',
    ...groupedHelp((heading) => painter()('bold', heading)),
    '',
    'Every option also has an environment variable, such as AGENT_EVALS_ENGINE.',
    'Exit code: 1 when a case failed that is not in quarantine, or a gate or budget was missed;',
    'else 2 when one is errored, a gate or budget is undecided, or nothing ran; 130 when interrupted.',
  ],
  async run(argv) {
    const { environment, test, yes, rest } = readRunArguments(argv, process.cwd())
    Object.assign(process.env, environment)
    const { target, category, tag, case: glob, kind, agentsRoot, summaryOnly } = checkOptions(environment)

    // Vitest is slow to load: a mistake in the arguments is reported before.
    const { readVitestArguments } = await import('../../vitest/command/vitest-arguments.ts')
    const { filters, options } = readVitestArguments(rest)
    const named = typeof options.root === 'string' ? options.root : null
    requireFolder('root', named)
    requireFolder('agents-root', agentsRoot)
    const pattern = options.testNamePattern === undefined ? null : String(options.testNamePattern)
    const askedCases = { filters, test, pattern }
    // A command that names projects may mean other files than evals.
    const isWhole =
      filters.length === 0 && kind === 'both' && (target ?? category ?? test ?? tag ?? glob ?? pattern) === null
    const project = projectOf(named, agentsRoot)
    const isAll = isWhole && project.within === project.root
    const chosen =
      isAll || options.project !== undefined
        ? { root: project.root, filters, cases: null }
        : await choose(askedCases, project, named === null && agentsRoot === null)

    const { startEvals } = await import('../../vitest/command/start-evals.ts')
    const quiet = summaryOnly && options.reporters === undefined ? { reporters: [{}] } : {}
    const { root } = chosen
    const elsewhere = root === process.cwd() ? {} : { root }
    return startEvals({
      asks: !yes && process.env['AGENT_EVALS_SOURCE'] === undefined,
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
  /** What is named of the cases of suite files; `null`: all. */
  readonly cases: NamedCases | null
}

// Agents may be outside of the repository: their folder is the root then, since no project can hold files beyond its own.
function projectOf(named: string | null, agentsRoot: string | null): ProjectPart {
  if (named === null && agentsRoot === null) return findProject(process.cwd())
  const here = resolve(named ?? '.')
  const root = agentsRoot === null || agentsRoot === here || pathBelow(here, agentsRoot) !== null ? here : agentsRoot
  return { root, within: root }
}

async function choose(askedCases: AskedCases, { root, within }: ProjectPart, isUsual: boolean): Promise<Chosen> {
  const found = await searchFolder(root, process.env)
  const here = narrow(found, within)
  const isHere = askedCases.filters.every((name) =>
    here.suites.some(({ cases }) => cases.some(({ target }) => target?.kind === 'agent' && target.name === name)),
  )
  const usual = !isUsual || isHere ? null : defaultAgentsRoot(askedCases.filters)
  const searched = usual === null ? here : await loadSuites(usual)
  const plan = planAsked(askedCases, searched, found.options)
  const refusal = plan.named?.refusal ?? null
  if (refusal !== null) throw new AgentEvalsError('invalid-options', refusal)
  requirePlanned(askedCases, plan, searched, found.options)
  if (plan.named !== null) return { root: usual ?? root, filters: plan.filters, cases: plan.named.cases }
  if (within === root) return { root, filters: [], cases: null }
  if (here.suites.length + here.evalFiles.length === 0) throw new AgentEvalsError('no-match', describeNothing(here))
  return { root, filters: [`${within}/`], cases: null }
}

// The plugin reads the same variables; here a mistake in a flag is reported in the words of the command line.
function checkOptions(
  flags: RunArguments['environment'],
): Pick<ResolvedOptions, 'agentsRoot' | 'case' | 'category' | 'kind' | 'summaryOnly' | 'tag' | 'target'> {
  try {
    // Only the configuration knows the servers of judges, and the run reads it.
    const mayNameServers = hasConfiguration(process.cwd())
    const declared = mayNameServers ? { ...OPTIONS, judge: { ...OPTIONS.judge, schema: z.string() } } : OPTIONS
    return resolveOptions({}, process.env, declared)
  } catch (error) {
    throw nameFlag(error, flags)
  }
}
