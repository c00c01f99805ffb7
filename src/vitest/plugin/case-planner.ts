import { planCases, plannedCases, type FileChoice, type NamedCases, type Plan } from '../../case/plan/plan.ts'
import { failsFile } from '../../documents/issue.ts'
import type { TestSpecification, Vitest } from 'vitest/node'
import type { ResolvedOptions } from '../../options/options.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { DueCases } from './narrow-runs.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

/** Plans each pass of Vitest, and answers which cases of a suite are in the plan. */
export interface CasePlanner {
  /** Plans a pass over these files. From here on {@link of} answers by it. */
  begin(specifications: readonly TestSpecification[], vitest: Vitest, due: DueCases): Promise<Plan>
  /** The cases of a suite that are in the plan of the present pass; of a suite that it does not come to, {@link all}. */
  of(suite: Suite): Promise<readonly EvalCase[]>
  /** The cases of a suite that the options and the command line leave. */
  all(suite: Suite): Promise<readonly EvalCase[]>
}

type Planned = Pick<SuiteStore, 'find' | 'load' | 'root'>

/** Creates the planner of one Vitest process. */
export function createPlanner(store: Planned, options: ResolvedOptions): CasePlanner {
  const settings = { ...options, root: store.root }
  const named = namedCases()
  // Planned once: a later look at hundreds of files for each of them would cost more than it could find.
  let everything: Promise<Plan> | undefined
  let present: { readonly plan: Plan; readonly files: ReadonlySet<string> } | null = null
  // Vitest runs the same specification again; its lines are forgotten where its file is broken.
  const asked = new WeakMap<TestSpecification, FileChoice>()

  const loadAll = async (files: readonly string[]): Promise<readonly Suite[]> =>
    Promise.all(files.map((file) => store.load(file)))
  const all = async (suite: Suite): Promise<readonly EvalCase[]> => {
    if (options.shard === null)
      return plannedCases(planCases([suite], { ...options, named }, settings), suite, settings)
    everything ??= store
      .find()
      .then(loadAll)
      .then((suites) => planCases(suites, { ...options, named }, settings))
    return plannedCases(await everything, suite, settings)
  }
  return {
    all,
    of: async (suite) =>
      present?.files.has(suite.file) === true ? plannedCases(present.plan, suite, settings) : all(suite),
    async begin(specifications, vitest, due) {
      const suites = await loadAll(specifications.map(({ moduleId }) => moduleId))
      const files = new Map<string, FileChoice>()
      for (const [index, specification] of specifications.entries()) {
        const { testLines: lines, testNamePattern: pattern } = specification
        const first = asked.get(specification) ?? { lines, pattern: pattern ?? vitest.getGlobalTestNamePattern() }
        asked.set(specification, first)
        files.set(suites[index]?.file ?? '', { ...first, due: due.get(specification.moduleId) })
      }
      // A file that fails as a whole runs none of its cases.
      const sound = suites.filter(({ issues }) => !issues.some(failsFile))
      const { tagsFilter } = vitest.config
      const choice = { ...options, named, files, ...(tagsFilter === undefined ? {} : { tagsFilter }) }
      const plan = planCases(sound, choice, settings)
      present = { plan, files: new Set(files.keys()) }
      return plan
    },
  }
}

/** Makes the runs of this process run only these cases of suite files. */
export function nameCases(cases: NamedCases | null): void {
  Reflect.set(globalThis, NAMED, cases)
}

function namedCases(): NamedCases | null {
  const named: unknown = Reflect.get(globalThis, NAMED)
  // Another copy of this module may have set it, as pnpm installs them: it is a map of the same form.
  return named instanceof Map ? (named as NamedCases) : null
}

const NAMED = Symbol.for('vitest-agent-evals:named-cases')
