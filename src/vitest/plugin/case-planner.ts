import type { TestSpecification, Vitest } from 'vitest/node'
import { createFileDealer, type FileDealer } from '../../case/plan/deal-shards.ts'
import { planCases, plannedCases, type FileChoice, type NamedCases, type Plan } from '../../case/plan/plan.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { isPlainTag } from '../../formats/variants.ts'
import { failsFile } from '../../lib/documents/document.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

/** Ids of the cases that changed files make due, by path of the test file; every case of a file that is absent is due. */
export type DueCases = ReadonlyMap<string, ReadonlySet<string> | null>

/** Plans each pass of Vitest, and answers which cases of a suite are in the plan. */
export interface CasePlanner {
  /** Plans a pass over these files. From here on {@link of} answers by it. */
  begin(specifications: readonly TestSpecification[], vitest: Vitest, due: DueCases): Promise<Plan>
  /** The cases of a suite that are in the plan of the present pass; of a suite that it does not come to, {@link all}. */
  of(suite: Suite): Promise<readonly EvalCase[]>
  /** The cases of a suite that the options and the command line leave. */
  all(suite: Suite): Promise<readonly EvalCase[]>
  /**
   * Makes Vitest run those tests of a file in TypeScript that have one of the tags asked for. `false` where another shard
   * runs the file, and none of its tests here.
   */
  limitTests(this: void, specification: TestSpecification): boolean
  /** Deals the files of tests in TypeScript to shards. */
  readonly dealer: FileDealer
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
  const choices = new WeakMap<TestSpecification, FileChoice>()

  const dealer = createFileDealer(settings)

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
        const first = choices.get(specification) ?? { lines, pattern: pattern ?? vitest.getGlobalTestNamePattern() }
        choices.set(specification, first)
        files.set(suites[index]?.file ?? '', { ...first, due: due.get(specification.moduleId) })
      }
      // A file that fails as a whole runs none of its cases.
      const sound = suites.filter(({ issues }) => !issues.some(failsFile))
      const plan = planCases(sound, { ...options, named, files }, settings)
      present = { plan, files: new Set(files.keys()) }
      return plan
    },
    limitTests(specification) {
      if (dealer.leaves(specification.moduleId)) {
        Object.assign(specification, { testNamePattern: NO_NAME })
        return false
      }
      if (options.tag === null) return true
      const { tags, tagsFilter = [] } = specification.project.config
      // Vitest refuses a tag that nobody declares, and no test can have one.
      const declared = options.tag.filter((tag) => isPlainTag(tag) && tags.some(({ name }) => name === tag))
      Object.assign(specification, { testTagsFilter: [...tagsFilter, declared.join(' || ') || NO_TAG] })
      return true
    },
    dealer,
  }
}

const NO_NAME = /(?!)/
const NO_TAG = '* && !*'

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
