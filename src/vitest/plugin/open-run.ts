import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseCLI, type TestProject, type Vitest, type VitestPluginContext } from 'vitest/node'
import { discoverEvals } from '../../formats/discover.ts'
import type { Matrix } from '../../case/plan/plan-case.ts'
import { requireKnown } from '../../case/plan/plan.ts'
import { kindOf } from '../../formats/kinds.ts'
import { tagsOf } from '../../formats/variants.ts'
import { uniqueIssues } from '../../lib/documents/document.ts'
import { AgentEvalsError, withoutOwnStack, withoutStack } from '../../lib/errors.ts'
import { sumOf } from '../../lib/lists.ts'
import { plural, toPrintableLine } from '../../lib/text.ts'
import { OPTIONS, type ResolvedOptions } from '../../options/options.ts'
import { describeUnknownVariables } from '../../options/resolve-options.ts'
import { isPackage, pathBelow } from '../../packages/package-root.ts'
import { describeNoEffect } from '../../formats/describe-issues.ts'
import { createProvenanceReader } from '../../report/results/provenance.ts'
import { isEditor } from '../../sandbox/environment.ts'
import { leaveTransformCache } from '../modules/suite-modules.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import { loadTemplateAhead } from '../reporter/create-plan.ts'
import type { CasePlanner } from './case-planner.ts'
import type { RunToServe } from './serve-run.ts'
import { openGate, readCommand, reportWithUserProjects, type ServedRun } from './user-projects.ts'
import { printBy } from '../../report/summary/terminal.ts'

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
  // The runs that are merged have published their own reports.
  if (vitest.config.mergeReports !== undefined) return
  const userProjects = new Set<string>()
  const provenanceOf = createProvenanceReader(vitest.version)
  const toServe = { context, options, store, planner, userProjects, provenanceOf }
  const ownNames = [options.name, options.assertName]
  const suites = await store.find()
  const { filters } = readCommand(process.argv, parseCLI)
  const reason = openGate({
    name: options.name,
    when: options.when,
    projects: vitest.config.project ?? [],
    filters,
    suites,
    // Not the Vitest root: a filter is what was typed in a shell.
    root: process.cwd(),
    showOnly: isEditor(process.env),
  })
  if (reason === null) {
    // A repository whose only tests are evals must not fail a plain `vitest`; a filter without a match still must.
    // A walk of the tree is a noticeable part of a start: it is awaited only where it decides something.
    const evalFiles = discoverEvals(store.root).then(({ ours }) => ours)
    if (filters.length === 0 && (suites.length > 0 || (await evalFiles).length > 0))
      vitest.config.passWithNoTests = true
    const open = (): Promise<ServedRun> => serve({ ...toServe, reason: 'user-projects' })
    vitest.config.reporters.push(reportWithUserProjects({ vitest, ownNames, served: null, open, userProjects }))
    return closeProject({ vitest, project }, { suites, evalFiles }, store, options.name)
  }

  leaveCoverage(vitest, options.name)
  const { askEarly } = await import('./ask-early.ts')
  askEarly(options, vitest.config.root)
  const serving = serve({ ...toServe, reason })
  // It is awaited below.
  serving.catch(() => {})
  const inner = describeInnerRoot(vitest.config.root, vitest.vite.config.configFile, process.cwd())
  const variables = describeUnknownVariables(process.env, OPTIONS)
  for (const note of [...variables, ...(inner === null ? [] : [inner]), ...(await store.notes())])
    printBy(vitest.logger, 'warn', `agent-evals: ${note}`)
  const loaded = await Promise.all(suites.map((file) => store.load(file)))
  const issues = uniqueIssues(loaded.flatMap((suite) => suite.issues))
  for (const line of describeNoEffect(store.root, issues, false)) printBy(vitest.logger, 'warn', `agent-evals: ${line}`)
  leaveTransformCache(context, (id) => store.owns(id))
  if (options.shard !== null) leaveToOtherShards(context, store, planner)
  await declareTags(project, suites, store, options)
  // Vitest gives each project the tags of all others, but later.
  const declared = [vitest.config, ...vitest.projects.map(({ config }) => config)].flatMap(({ tags }) => tags)
  if (reason !== 'show-only')
    requireKnown(
      options,
      loaded,
      declared.map(({ name }) => name),
    )
  if (loaded.some(({ cases }) => cases.some((one) => kindOf(one).isQuery))) void loadTemplateAhead()
  const served = await serving
  vitest.config.reporters.push(
    reportWithUserProjects({ vitest, ownNames, served, open: async () => served, userProjects }),
  )
}

// Only here it is known which files the filters leave, and the shards share no others.
function leaveToOtherShards({ vitest, project }: VitestPluginContext, store: SuiteStore, planner: CasePlanner): void {
  const find = project.globTestFiles.bind(project)
  project.globTestFiles = async (filters) => {
    const found = await find(filters)
    const mine = new Set(planner.dealer.deal(found.testFiles.filter((file) => !store.owns(file))))
    // Vitest refuses a line of a file that is not there: none of its tests run.
    const isNamed = (file: string): boolean => filters?.some((one) => resolve(one) === file) === true
    const testFiles = found.testFiles.filter((file) => store.owns(file) || mine.has(file) || isNamed(file))
    // A machine without a part of the run is none that found nothing to run.
    if (testFiles.length < found.testFiles.length) vitest.config.passWithNoTests = true
    return { ...found, testFiles }
  }
}

// Most starts of a Vitest run unit tests: what serves a run of evals is loaded by those that have one.
async function serve(toServe: RunToServe): Promise<ServedRun> {
  const { serveRun } = await import('./serve-run.ts')
  return serveRun(toServe).catch((error: unknown) => {
    throw withoutOwnStack(error)
  })
}

interface FoundEvals {
  readonly suites: readonly string[]
  /** Written in TypeScript. */
  readonly evalFiles: Promise<readonly string[]>
}

function closeProject(
  { vitest, project }: Pick<VitestPluginContext, 'project' | 'vitest'>,
  found: FoundEvals,
  store: SuiteStore,
  name: string,
): void {
  const index = vitest.projects.indexOf(project)
  if (index === -1 || vitest.projects.length === 1) return
  vitest.projects.splice(index, 1)
  const counted = countEvals(found, store).then((count) => {
    // Not on standard output: `vitest list --json` and some reporters have it to themselves.
    if (count !== null) printBy(vitest.logger, 'error', `agent-evals: ${count} not run; npx vitest --project ${name}`)
  })
  vitest.onClose(() => counted)
}

async function countEvals({ suites, evalFiles }: FoundEvals, store: SuiteStore): Promise<string | null> {
  const loaded = await Promise.all(suites.map((file) => store.load(file)))
  const cases = sumOf(loaded, (suite) => suite.cases.length)
  const written = (await evalFiles).length
  const parts = [
    ...(suites.length === 0 ? [] : [`${plural(cases, 'case')} in ${plural(suites.length, 'file')}`]),
    // Reading their tests is work for a Vitest of its own.
    ...(written === 0 ? [] : [`${plural(written, 'file')} of evals in TypeScript`]),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}

/** Declares the tags of all cases: those that no configuration declares are errors for Vitest. */
async function declareTags(
  project: TestProject,
  suites: readonly string[],
  store: SuiteStore,
  { engineMatrix, modelMatrix }: Matrix,
): Promise<void> {
  const declared = (project.config.tags ??= [])
  const names = new Set(declared.map((tag) => tag.name))
  const declare = (tag: string): void => {
    if (!names.has(tag)) declared.push({ name: tag })
    names.add(tag)
  }
  const loaded = await Promise.all(suites.map((file) => store.load(file)))
  loaded.flatMap(({ cases }) => cases.flatMap(({ tags }) => tags)).forEach(declare)
  // Tests in TypeScript are not known yet.
  const engines = [...(engineMatrix.environment ?? []), ...(engineMatrix.option ?? [])]
  const variants = [...engines.map((engine) => ({ engine })), ...modelMatrix.map((model) => ({ model }))]
  variants.flatMap(tagsOf).forEach(declare)
}

/**
 * Words that Vitest was started in a subfolder of its configuration and took it as the root, as Vitest 4 does; `null`
 * where the root is a project of its own, or was named.
 */
export function describeInnerRoot(root: string, configFile: string | undefined, cwd: string): string | null {
  if (configFile === undefined || root !== cwd) return null
  const home = dirname(configFile)
  const folder = pathBelow(home, root)
  if (folder === null || folder === '' || isPackage(root) || existsSync(join(root, 'package.json'))) return null
  const up = relative(root, home)
  return `Vitest takes ${toPrintableLine(folder)} as its root. It does not use recordings and scenarios of ${up}, and writes the report here. Start it in ${up}, or run npx vitest-agent-evals run here.`
}

/**
 * Refuses a Vitest that lacks what this package uses, and a Node on which Vitest itself breaks. Not every package
 * manager refuses to install them.
 *
 * @throws {AgentEvalsError} `unsupported-vitest`
 */
export function requireVersions(vitest: string, node: string = process.versions.node): void {
  if (isBefore(vitest, [4, 1])) {
    const message = `This package needs Vitest 4.1 or 5, and found ${vitest}. Update it: npm install --save-dev vitest@${newestOn(node)}`
    throw withoutStack(new AgentEvalsError('unsupported-vitest', message))
  }
  if (!isBefore(vitest, [5, 0]) && newestOn(node) === '4') {
    const message = `Vitest ${vitest} needs Node 22.12 or newer, and this is Node ${node}. Update Node, or install an older Vitest: npm install --save-dev vitest@4`
    throw withoutStack(new AgentEvalsError('unsupported-vitest', message))
  }
}

function newestOn(node: string): '4' | 'latest' {
  return isBefore(node, [22, 12]) ? '4' : 'latest'
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}
