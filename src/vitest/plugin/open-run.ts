import { parseCLI, type TestProject, type Vitest, type VitestPluginContext } from 'vitest/node'
import { isEditor } from '../../sandbox/detect-environment.ts'
import { withoutOwnStack } from '../../options/without-stack.ts'
import { declareTags } from './declare-tags.ts'
import { describeInnerRoot } from './inner-root.ts'
import { createProvenanceReader } from '../../results/provenance.ts'
import { describeNoEffect } from '../../results/describe-no-effect.ts'
import { uniqueIssues } from '../../documents/issue.ts'
import { openGate, readFilters } from './gate.ts'
import { reportWithUserProjects, type ServedRun } from './user-projects.ts'
import { leaveTransformCache } from '../modules/leave-transform-cache.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { describeUnknownVariables } from '../../options/unknown-variables.ts'
import { OPTIONS } from '../../options/options.ts'
import { loadTemplateAhead } from '../reporter/prepare-ahead.ts'
import { sumOf } from '../../lists.ts'
import type { CasePlanner } from './case-planner.ts'
import { requireVersions } from './require-versions.ts'
import type { RunToServe } from './serve-run.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

// Evals run no code of the user's: thresholds of their configuration would fail every run of evals alone.
function leaveCoverage({ config }: Vitest, name: string): void {
  const isAlone = config.project.length > 0 && config.project.every((project) => project === name)
  if (isAlone && !process.argv.some((word) => /^--coverage\b/.test(word))) config.coverage.enabled = false
}

/** Decides whether project `evals` takes part, and if so prepares everything its workers need. */
export async function openRun(
  context: VitestPluginContext,
  options: ResolvedOptions,
  store: SuiteStore,
  planner: CasePlanner,
): Promise<void> {
  const { vitest, project } = context
  requireVersions(vitest.version)
  const userProjects = new Set<string>()
  const provenanceOf = createProvenanceReader(vitest.version)
  const wanted = { context, options, store, planner, userProjects, provenanceOf }
  const ownNames = [options.name, options.assertName]
  const suites = await store.find()
  const filters = readFilters(process.argv, parseCLI)
  const reason = openGate({
    name: options.name,
    when: options.when,
    projects: vitest.config.project ?? [],
    filters,
    suites,
    // Not the Vitest root: a filter is what was typed in a shell.
    root: process.cwd(),
    showOnly: isEditor(process.env) || vitest.config.mergeReports !== undefined,
  })
  if (reason === null) {
    // A repository whose only tests are evals must not fail a plain `vitest`; a filter without a match still must.
    if (suites.length > 0 && filters.length === 0) vitest.config.passWithNoTests = true
    const open = (): Promise<ServedRun> => serve({ ...wanted, reason: 'user-projects' })
    vitest.config.reporters.push(reportWithUserProjects({ vitest, ownNames, served: null, open, userProjects }))
    return closeProject(vitest, project, suites, store, options.name)
  }

  leaveCoverage(vitest, options.name)
  const { askEarly } = await import('./ask-early.ts')
  askEarly(options, vitest.config.root)
  const serving = serve({ ...wanted, reason })
  // It is awaited below.
  serving.catch(() => {})
  const inner = describeInnerRoot(vitest.config.root, vitest.vite.config.configFile, process.cwd())
  const variables = describeUnknownVariables(process.env, OPTIONS)
  for (const note of [...variables, ...(inner === null ? [] : [inner]), ...(await store.notes())])
    vitest.logger.warn(`agent-evals: ${note}`)
  const loaded = await Promise.all(suites.map((file) => store.load(file)))
  const issues = uniqueIssues(loaded.flatMap((suite) => suite.issues))
  for (const line of describeNoEffect(store.root, issues, false)) vitest.logger.warn(`agent-evals: ${line}`)
  leaveTransformCache(context, (id) => store.owns(id))
  await declareTags(project, suites, store, options.engineMatrix)
  if (loaded.some(({ cases }) => cases.some(({ trigger }) => trigger !== undefined))) void loadTemplateAhead()
  const served = await serving
  vitest.config.reporters.push(
    reportWithUserProjects({ vitest, ownNames, served, open: async () => served, userProjects }),
  )
}

// Most starts of a Vitest run unit tests: what serves a run of evals is loaded by those that have one.
async function serve(wanted: RunToServe): Promise<ServedRun> {
  const { serveRun } = await import('./serve-run.ts')
  return serveRun(wanted).catch((error: unknown) => {
    throw withoutOwnStack(error)
  })
}

function closeProject(
  vitest: Vitest,
  project: TestProject,
  suites: readonly string[],
  store: SuiteStore,
  name: string,
): void {
  const index = vitest.projects.indexOf(project)
  if (index === -1 || vitest.projects.length === 1) return
  vitest.projects.splice(index, 1)
  if (suites.length === 0) return
  const counted = countCases(suites, store).then((cases) => {
    const files = `${suites.length} ${suites.length === 1 ? 'file' : 'files'}`
    // Not on standard output: `vitest list --json` and some reporters have it to themselves.
    vitest.logger.error(`agent-evals: ${cases} in ${files} not run; npx vitest --project ${name}`)
  })
  vitest.onClose(() => counted)
}

async function countCases(suites: readonly string[], store: SuiteStore): Promise<string> {
  const loaded = await Promise.all(suites.map((file) => store.load(file)))
  const count = sumOf(loaded, (suite) => suite.cases.length)
  return `${count} ${count === 1 ? 'case' : 'cases'}`
}
