import { basename } from 'node:path'
import type { TestSpecification } from 'vitest/node'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { isInQuarantine } from '../../options/quarantine.ts'
import { plural } from '../../lib/text.ts'
import type { Plan } from '../../case/plan/plan.ts'
import { placeBefore, skillAtVersion, type BeforeVersion } from '../../formats/before.ts'
import { loadAgentPackage } from '../../formats/golden/load-agent.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { Suite } from '../../formats/suite.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { tryReadText } from '../../lib/files.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage, Skill } from '../../packages/package.ts'
import { loadOneSkill } from '../../packages/skills.ts'
import { announceBudgets } from '../../report/compare/verdicts.ts'
import type { PlannedAgainst, PlannedText } from '../../report/compare/against.ts'
import { describePower } from '../../report/compare/words.ts'
import { planTests } from '../../report/statistics/regression-tests.ts'
import { tallyOf } from '../../report/results/result.ts'
import type { PlannedRun } from '../../report/results/start-run.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** A plan in which each report says what its cases are compared with. */
export async function withComparison(
  plan: PlannedRun,
  { settings, store, versionStore }: Pick<EvalsReporterOptions, 'settings' | 'store' | 'versionStore'>,
): Promise<PlannedRun> {
  const { before } = settings
  if (before === undefined) return plan
  const suites = await loadAll(store)
  const earlier = versionStore === null ? [] : await loadAll(versionStore)
  const deleted = await findDeleted(suites, earlier, plan, settings)
  const reports = await Promise.all(
    plan.reports.map(async (report, index) => {
      const { packageRoot } = report
      const root = placeBefore(before, packageRoot)
      const texts =
        root === null
          ? []
          : await changedTexts([root, packageRoot], suites, before, (folder) => store.packageOf(folder))
      const against: PlannedAgainst = {
        ref: before.ref,
        commit: before.commit,
        texts,
        // A package that is gone has no report of its own.
        deleted: index === 0 ? deleted : [],
      }
      return { ...report, against }
    }),
  )
  return { ...plan, reports }
}

async function loadAll(store: Pick<EvalsReporterOptions['store'], 'find' | 'load'>): Promise<readonly Suite[]> {
  return Promise.all((await store.find()).map((file) => store.load(file)))
}

// A run of some cases says nothing of the others.
async function findDeleted(
  suites: readonly Suite[],
  earlier: readonly Suite[],
  { cases }: PlannedRun,
  settings: EvalsReporterOptions['settings'],
): Promise<PlannedAgainst['deleted']> {
  const identify = (suite: Suite): readonly Named[] =>
    suite.cases
      .filter(({ arm }) => arm === undefined)
      .map((one) => ({ ...identifyCase(suite, one, settings), bare: `${suite.format}\0${one.id}` }))
  const now = suites.flatMap(identify)
  const started = new Set(cases.map(({ file, id }) => `${file}\0${id}`))
  if (!now.every(({ file, id }) => started.has(`${file}\0${id}`))) return []
  const current = new Set(now.flatMap(({ id, bare }) => [id, bare]))
  return earlier
    .flatMap(identify)
    .filter(({ id, bare }) => !current.has(id) && !current.has(bare))
    .map(({ id, name }) => ({ id, name }))
}

interface Named {
  readonly id: string
  readonly name: string
  readonly file: string
  /** The id without its place: a case that was moved with its skill is the same. */
  readonly bare: string
}

async function changedTexts(
  [root, now]: readonly [before: string, after: string],
  suites: readonly Suite[],
  version: BeforeVersion,
  packageOf: (root: string) => Promise<AgentPackage>,
): Promise<readonly PlannedText[]> {
  const [before, after] = [await packageOf(root), await packageOf(now)]
  const owned = suites.flatMap(({ packageRoot, skill }) => (packageRoot === now && skill !== undefined ? [skill] : []))
  const skills = new Map([...after.skills, ...owned].map((skill) => [skill.dir, skill]))
  const ofSkills = await Promise.all(
    [...skills.values()].map(async ({ dir, name }) => {
      const earlier = skillAtVersion(version, { name, dir })
      return textsOfSkill(now, earlier && (await loadSkill(earlier.dir, earlier.name)), await loadSkill(dir, name))
    }),
  )
  const agents = textsOf(now, 'prompt of the agent', [before.agents, after.agents], (part) => [
    part.promptFile,
    part.prompt,
  ])
  const commands = textsOf(now, 'command', [before.commands, after.commands], (part) => [part.file, part.body])
  const rules = textsOf(now, 'rule', [before.rules, after.rules], readRule, 'always')
  const instructions = changed(now, {
    file: after.instructionsFile ?? before.instructionsFile ?? '',
    part: 'instructions',
    before: before.instructionsFile === null ? null : tryReadText(before.instructionsFile),
    after: after.instructionsFile === null ? null : tryReadText(after.instructionsFile),
    shown: 'always',
  })
  const dirs = suites.flatMap(({ packageRoot, cases }) =>
    packageRoot === now ? cases.flatMap((one) => kindOf(one).golden(one)?.agent.dir ?? []) : [],
  )
  const briefings = await Promise.all(
    [...new Set(dirs)].map(async (dir) => {
      const earlier = placeBefore(version, dir)
      const parts = await Promise.all([earlier === null ? [] : briefingOf(earlier), briefingOf(dir)])
      return textsOf(now, 'file of the agent', parts, ({ file, text }) => [file, text], 'always')
    }),
  )
  return [...ofSkills.flat(), ...agents, ...commands, ...rules, ...instructions, ...briefings.flat()]
}

/** What an agent with golden tests is told before its first prompt, file by file. */
async function briefingOf(
  dir: string,
): Promise<readonly { readonly name: string; readonly file: string; readonly text: string }[]> {
  const { agents } = await loadAgentPackage({ dir, name: basename(dir) }, openTrackedFs())
  const parts = agents.flatMap((agent) => agent.parts ?? [])
  return parts.map(({ file, text }) => ({ name: pathFrom(dir, file), file, text }))
}

async function loadSkill(dir: string, name: string): Promise<Skill | null> {
  const { parts } = await loadOneSkill(dir, name, openTrackedFs())
  return parts[0] ?? null
}

function textsOfSkill(root: string, before: Skill | null, after: Skill | null): readonly PlannedText[] {
  const { file = '', name = '' } = after ?? before ?? {}
  const names = [after, before].flatMap((one) => (one === null ? [] : [one.name]))
  const compare = (part: keyof Pick<Skill, 'body' | 'description' | 'name'>, shown: PlannedText['shown']) =>
    changed(root, {
      file,
      part: `${part} of the skill ${name}`,
      before: before?.[part] ?? null,
      after: after?.[part] ?? null,
      shown,
    })
  return [...compare('name', 'always'), ...compare('description', 'always'), ...compare('body', names)]
}

function readRule({ file }: AgentPackage['rules'][number]): FileText {
  return [file, tryReadText(file) ?? '']
}

type FileText = readonly [file: string, text: string]

function textsOf<Part extends { readonly name: string }>(
  root: string,
  what: string,
  [before, after]: readonly [before: readonly Part[], after: readonly Part[]],
  read: (part: Part) => FileText,
  shown: PlannedText['shown'] = null,
): readonly PlannedText[] {
  return [...new Set([...after, ...before].map(({ name }) => name))].flatMap((name) => {
    const [from, to] = [before, after].map((parts) => {
      const part = parts.find((one) => one.name === name)
      return part === undefined ? null : read(part)
    })
    const [file = ''] = to ?? from ?? []
    return changed(root, { file, part: `${what} ${name}`, before: from?.[1] ?? null, after: to?.[1] ?? null, shown })
  })
}

function changed(
  root: string,
  { file, before, after, ...rest }: Omit<PlannedText, 'path'> & { readonly file: string },
): readonly PlannedText[] {
  if (before === after) return []
  return [{ ...rest, path: pathFrom(root, file), before: cut(before), after: cut(after) }]
}

function cut(text: string | null): string | null {
  return text === null ? null : text.slice(0, MOST_CHARACTERS)
}

// A whole SKILL.md, as it should be: a change may be in its last line.
const MOST_CHARACTERS = 50_000

/** What is known of the gates of a run before it starts. */
export interface PlannedGates extends Pick<EvalsReporterOptions, 'budgets' | 'comparedReport' | 'settings'> {
  /** Cases of the version before that are in no file any more. */
  readonly deleted: number
  /** Ids of the cases that gate nothing. */
  readonly apart: ReadonlySet<string>
  /** How many cases gate; `null` where tests in TypeScript take part, of which nothing is known yet. */
  readonly gating: number | null
}

/** Says what the planned runs can show, before anything is run or paid; empty where there is no gate. */
export function announceGates(plan: Plan, gates: PlannedGates): readonly string[] {
  const { budgets, settings, gating } = gates
  const limits = announceBudgets(budgets ?? {}, {
    gating,
    isFree: settings.source === 'replay',
    maxCostUsd: settings.maxCostUsd,
  })
  return [...announceComparison(plan, gates), ...limits.map((line) => `agent-evals: ${line}`)]
}

function announceComparison(
  { cases }: Plan,
  { settings, comparedReport, deleted, apart }: PlannedGates,
): readonly string[] {
  const compared = (comparedReport?.cases ?? []).filter(({ arm, id }) => arm === null && !apart.has(id ?? ''))
  const planned = new Map(cases.map((one) => [one.id, one]))
  const sizes: (readonly [number, number])[] =
    settings.before !== undefined
      ? cases
          .filter(({ id }) => id.endsWith(VARIANT) && !apart.has(id.slice(0, -VARIANT.length)))
          .map(({ runs }) => [runs, runs])
      : compared.flatMap((one) => {
          const { completed } = tallyOf(one)
          const runs = planned.get(one.id ?? '')?.runs
          return runs === undefined || completed === 0 ? [] : [[completed, runs]]
        })
  const missing = deleted + compared.filter(({ id }) => !planned.has(id ?? '')).length
  const mixed = compared.filter(({ source }) => source !== null && OTHERS[settings.source]?.includes(source)).length
  const hopeless = [
    ...(missing === 0 ? [] : [`${plural(missing, 'case')} of before will be missing`]),
    ...(mixed === 0 ? [] : [`${plural(mixed, 'case')} will be live on one side only`]),
  ]
  if (sizes.length + hopeless.length === 0) return []
  return [
    ...(sizes.length === 0 ? [] : [`agent-evals: ${describeSizes(sizes.map(([, after]) => after))} in each version:`]),
    ...(sizes.length === 0 ? [] : describePower(sizes.length, planTests(sizes)).map((line) => `  ${line}`)),
    ...(hopeless.length === 0 ? [] : [`agent-evals: This gate cannot pass: ${hopeless.join(', ')}.`]),
  ]
}

const VARIANT = '@variant'

// A replay never asks a model, and a live run plays no recording.
const OTHERS: Partial<Record<EvalsReporterOptions['settings']['source'], readonly string[]>> = {
  replay: ['live', 'record'],
  live: ['replay'],
  record: ['replay'],
}

function describeSizes(runs: readonly number[]): string {
  const [least, most] = [Math.min(...runs), Math.max(...runs)]
  return `${plural(runs.length, 'case')} x ${least === most ? '' : `${least} to `}${plural(most, 'run')}`
}

/** How many cases of these files gate. */
export async function countGating(
  specifications: readonly TestSpecification[],
  { planner, settings, store }: Pick<EvalsReporterOptions, 'planner' | 'settings' | 'store'>,
): Promise<number> {
  let gating = 0
  for (const { moduleId } of specifications) {
    const suite = await store.load(moduleId)
    for (const one of await planner.of(suite)) {
      if (one.arm !== undefined || one.skipped !== undefined) continue
      if (!isInQuarantine(identifyCase(suite, one, settings), settings.quarantine)) gating += 1
    }
  }
  return gating
}
