import { basename } from 'node:path'
import type { TestSpecification, TestModule } from 'vitest/node'
import { identifyCase, NOTHING_ASKED, planCase } from '../../case/plan/plan-case.ts'
import { caseTimeout, type Plan } from '../../case/plan/plan.ts'
import type { templateAhead } from '../../case/template-ahead.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { CaseMatter, Suite } from '../../formats/suite.ts'
import type { PreparedValue } from '../../gateway/first-turn/leaders.ts'
import { failsFile, formatIssue, type Issue } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { toPrintableLine } from '../../lib/text.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings } from '../../options/settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { knownProvenance } from '../../report/results/provenance.ts'
import { holdsResult } from '../../report/results/result-cache.ts'
import type { PlannedCase } from '../../report/results/result.ts'
import type { LintNotice, PlannedReport } from '../../report/results/run-folder.ts'
import type { PlannedRun } from '../../report/results/start-run.ts'
import { describeLeftOut, type Listing } from '../../session/inputs/list-files.ts'
import { listPackageFiles } from '../../session/inputs/package-files.ts'
import { copiedProject, listProjectFiles } from '../../session/inputs/project-files.ts'
import { isUsual, worthNaming } from '../../session/inputs/stays-out.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'
import { findUnmatched, type NamedCase } from '../../options/quarantine.ts'
import { discoverEvals } from '../../formats/discover.ts'

/** Plans a run before its first case starts, from the files alone: workers may die before they have collected theirs. */
export async function createPlan(
  specifications: readonly TestSpecification[],
  plan: Plan,
  { planner, store, settings, vitest, report, runLog }: EvalsReporterOptions,
): Promise<PlannedRun> {
  const noticesOfCopies = createCopyNotices(settings)
  const cases: PlannedCase[] = []
  const reports = new Map<string, PlannedReport>()
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    const selected = await planner.of(suite)
    const planned = isBroken(suite)
      ? [planBrokenSuite(suite, settings)]
      : selected.map((evalCase) => planCase(suite, evalCase, settings))
    cases.push(...planned)
    const [first] = selected
    const pkg = await (first === undefined ? store.packageOf(suite.packageRoot) : store.packageFor(suite, first))
    const copied = await noticesOfCopies({ suite, selected, package: pkg })
    const notices = [...lintNotices(suite, pkg, settings.root), ...copied]
    for (const engineName of new Set(planned.map((one) => one.engineName))) {
      const key = JSON.stringify([suite.packageRoot, engineName])
      const ofEngine =
        reports.get(key) ?? planReport(suite, engineName, settings, await store.packageOf(suite.packageRoot))
      reports.set(key, addNotices(ofEngine, notices))
    }
  }
  return {
    plan: plan.hash,
    ...(settings.shard === null ? {} : { dealtFiles: planner.dealer.hash() }),
    cases,
    files: [],
    reports: [...reports.values()],
    options: JSON.parse(
      JSON.stringify({ ...settings, report, runLog, controlSocket: undefined, requireLive: undefined }),
    ),
    versions: {
      agentEvals: knownProvenance(vitest.version).agentEvalsVersion,
      vitest: vitest.version,
      node: process.versions.node,
    },
  }
}

/** Whether a suite file cannot be run at all. */
export function isBroken(suite: Suite): boolean {
  return suite.issues.some(failsFile)
}

/** Stands in the report for a suite file that cannot be read: a broken file must not look like fewer cases. */
export function planBrokenSuite(suite: Suite, settings: EvalsReporterOptions['settings']): PlannedCase {
  const first = suite.issues.find(failsFile)
  const at = { line: first?.line ?? 1, column: first?.column ?? 1 }
  const name = basename(suite.file).replace(/\.[^.]+$/, '')
  const planned = identifyCase(suite, NOBODY, settings)
  return { ...planned, id: planned.suite, name, at, asked: [] }
}

const NOBODY: Parameters<typeof planCase>[1] = { ...NOTHING_ASKED, id: '', name: '', at: { line: 1, column: 1 } }

/** What the report of a package and engine says besides its results. */
export function planReport(
  suite: Pick<Suite, 'config' | 'format' | 'packageRoot'>,
  engineName: string,
  settings: EvalsReporterOptions['settings'],
  { manifest }: AgentPackage,
): PlannedReport {
  return {
    packageRoot: suite.packageRoot,
    engineName,
    packageName: manifest?.name ?? null,
    packageVersion: manifest?.version ?? null,
    judge: nearest<string | null>(settings.judge, suite.config.judge, null),
    timeout: caseTimeout(suite, { timeout: null }, settings),
  }
}

/** The cases of a suite that a run starts, and the package that they get. */
interface CopiedCases {
  readonly suite: Pick<Suite, 'packageRoot'> & Partial<Pick<Suite, 'skill'>>
  readonly selected: readonly CaseMatter[]
  readonly package: AgentPackage
}

/** Says what the copies of packages and projects leave out. Asked once for each of them, however many cases get one. */
export function createCopyNotices(
  settings: Pick<RunSettings, 'projectCopy' | 'root' | 'scenarios'>,
): (cases: CopiedCases) => Promise<readonly LintNotice[]> {
  const ofPackages = new Map<string, readonly LintNotice[]>()
  const ofProjects = new Map<string, Promise<readonly LintNotice[]>>()
  const nameOf = (kind: string, folder: string): string => {
    const path = pathFrom(settings.root, folder)
    return path === '' ? `the ${kind}` : `the ${kind} ${path}`
  }

  const noticeOf = (kind: string, folder: string, all: Listing['leftOut']): readonly LintNotice[] => {
    const leftOut = worthNaming(all)
    const text = describeLeftOut(nameOf(kind, folder), leftOut)
    return text === null ? [] : [{ code: isUsual(leftOut) ? 'usually-left-out' : 'left-out', text }]
  }
  const lookAtProject = async (
    suite: Pick<Suite, 'packageRoot'>,
    skill: NonNullable<Suite['skill']>,
  ): Promise<readonly LintNotice[]> => {
    const { leftOut } = await listProjectFiles(skill, copiedProject({ ...suite, skill }, settings.scenarios).hidden)
    return noticeOf('project', skill.projectRoot, leftOut)
  }

  return async ({ suite, selected, package: pkg }) => {
    if (selected.length === 0) return []
    try {
      const ofPackage = ofPackages.get(pkg.root) ?? noticeOf('package', pkg.root, listPackageFiles(pkg).leftOut)
      ofPackages.set(pkg.root, ofPackage)
      const { skill } = suite
      const isCopied = settings.projectCopy && selected.some((one) => !kindOf(one).isQuery)
      if (skill === undefined || !isCopied) return ofPackage
      const ofProject = ofProjects.get(skill.projectRoot) ?? lookAtProject(suite, skill)
      ofProjects.set(skill.projectRoot, ofProject)
      return [...ofPackage, ...(await ofProject)]
    } catch (error) {
      // A copy that cannot be made is the error of its cases.
      if (error instanceof AgentEvalsError) return []
      throw error
    }
  }
}

/**
 * What lint finds in a suite file and in the package of its cases, each with its place. Such a notice is about a file:
 * however many cases read it, the report and the terminal have it once.
 */
export function lintNotices(
  { issues }: Pick<Suite, 'issues'>,
  { findings }: Pick<AgentPackage, 'findings'>,
  root: string,
): readonly LintNotice[] {
  return [...issues.filter(isRemark), ...findings.filter(isOfSomeCases)].map((issue) => ({
    code: issue.code,
    text: formatIssue(issue, root),
  }))
}

/** A planned report with further notices, each of them once. */
export function addNotices(report: PlannedReport, notices: readonly LintNotice[]): PlannedReport {
  const earlier = report.notices ?? []
  const added = notices.filter(({ text }) => earlier.every((one) => one.text !== text))
  return added.length === 0 ? report : { ...report, notices: [...earlier, ...added] }
}

/** Returns what prints the notices of a plan: each once, in all passes of a watching Vitest. */
export function createNoticePrinter(print: (line: string) => void): (plan: Pick<PlannedRun, 'reports'>) => void {
  const printed = new Set<string>()
  return ({ reports }) => {
    const found = reports.flatMap(({ notices = [] }) => notices).filter(({ code }) => !UNPRINTED.has(code))
    const open = [...new Set(found.map(({ text }) => text))].filter((text) => !printed.has(text))
    for (const text of open) printed.add(text)
    for (const notice of open.slice(0, MOST_NOTICES)) print(`agent-evals: ${toPrintableLine(notice)}`)
    if (open.length > MOST_NOTICES)
      print(`agent-evals: and ${open.length - MOST_NOTICES} more; npx vitest-agent-evals lint lists them all`)
  }
}

const MOST_NOTICES = 10

// What a repository can do without, no copy ever gets, or the search for suites has said: lint and the report name it, a
// run does not repeat it.
const UNPRINTED: ReadonlySet<string> = new Set(['no-eval-config', 'unused-evals', 'usually-left-out'])

// An error of the whole package is the outcome of all its cases.
function isOfSomeCases({ part, severity }: AgentPackage['findings'][number]): boolean {
  return part !== null || severity !== 'error'
}

// An error is the outcome of its cases, and what has no effect is listed apart.
function isRemark(issue: Issue): boolean {
  return !failsFile(issue) && issue.noEffect !== true && issue.skips !== true
}

/** Begins what the first suite with trigger queries needs: starting a CLI takes longer than starting a worker. */
export async function prepareAhead(
  specifications: readonly TestSpecification[],
  options: EvalsReporterOptions,
  settings: RunSettings,
): Promise<PreparedValue | null> {
  // What earlier runs have decided is not asked again.
  if (settings.resume || settings.triggers === 'full') return null
  for (const specification of specifications) {
    const suite = await options.store.load(specification.moduleId)
    if (isBroken(suite)) continue
    const selected = await options.planner.of(suite)
    const queries = selected.filter((one) => {
      const isWhole = one.arm === undefined && one.skipped === undefined && one.broken === undefined
      return kindOf(one).isQuery && isWhole
    })
    if (queries.every((one) => holdsResult(planCase(suite, one, settings), settings))) continue
    // A run without queries does without what prepares them.
    const prepare = await loadTemplateAhead()
    return prepare({ suite, queries, settings, signal: options.closed })
  }
  return null
}

/** Loads what prepares queries; a plugin that finds some asks for it before it is needed. */
export async function loadTemplateAhead(): Promise<typeof templateAhead> {
  return (await import('../../case/template-ahead.ts')).templateAhead
}

/**
 * Names what of the option `quarantine` names no case, in one sentence. `null` also while files of tests in TypeScript were
 * not collected in this run: what their tests are called is not known.
 */
export async function describeUnmatched(
  modules: readonly TestModule[],
  { store, settings, userProjects }: Pick<EvalsReporterOptions, 'settings' | 'store' | 'userProjects'>,
): Promise<string | null> {
  const { quarantine, root } = settings
  if (quarantine.length === 0) return null
  const collected = new Set(modules.map(({ moduleId }) => moduleId))
  const files = await store.find()
  const written = [...(await discoverEvals(root)).ours, ...userProjects].filter((file) => !files.includes(file))
  if (written.some((file) => !collected.has(file))) return null
  const suites = await Promise.all(files.map((file) => store.load(file)))
  const cases = suites.flatMap((suite) => suite.cases.map((one): NamedCase => identifyCase(suite, one, settings)))
  const tests = modules
    .filter(({ moduleId }) => written.includes(moduleId))
    .flatMap((module) => [...module.children.allTests()])
    .map(({ fullName }): NamedCase => ({ name: fullName, id: fullName }))
  const unmatched = findUnmatched(quarantine, [...cases, ...tests])
  if (unmatched.length === 0) return null
  return `The option quarantine names no case by ${unmatched.map((pattern) => JSON.stringify(pattern)).join(', ')}.`
}
