import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callsOf } from '../engines/registry.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { loadScenario } from '../gateway/sources/load-scenario.ts'
import { runAgent } from '../session/run-agent.ts'
import { openTrackedFs } from '../lib/documents/read-text.ts'
import { pathFrom } from '../packages/package-root.ts'
import { loadSkillPackage } from '../formats/skill-evals/skill-suites.ts'
import { skillsUsed } from '../transcript/select.ts'
import { findCanaryScenario } from './prepare/find-scenario.ts'
import type { AnswerSource } from '../gateway/leases/lease.ts'
import type { Scenario } from '../gateway/sources/scenario-file.ts'
import type { RunSettings } from '../options/settings.ts'
import { barePackage, type AgentPackage } from '../packages/package.ts'
import type { Engine } from '../engines/engine.ts'
import type { Suite } from '../formats/suite.ts'
import type { AgentRequest } from '../session/agent-request.ts'

/** A query of which no run has used any skill, and its suite. */
export interface CanaryRequest {
  readonly suite: Omit<Suite, 'cases'>
  readonly settings: RunSettings
  /** Any run of the suite: the canary is run as this one was. */
  readonly like: AgentRequest
}

/** Remembers that a skill was used in some run of a suite: nothing is wrong with how skills are offered and seen. */
export function noteSkillUse(suite: object, engineName: string): void {
  proven.set(suite, new Set([...(proven.get(suite) ?? []), engineName]))
  wake(suite)
}

/** Whether a skill was used in some run of a suite by now. */
export function isProven(suite: object, engineName: string): boolean {
  return proven.get(suite)?.has(engineName) === true
}

/** Notes that runs of a query are under way, until what it returns is called: they may show that skills are used. */
export function noteRunsUnderWay(suite: object): () => void {
  const begun = {}
  underWay.set(suite, new Set([...(underWay.get(suite) ?? []), begun]))
  return () => {
    underWay.get(suite)?.delete(begun)
    wake(suite)
  }
}

function wake(suite: object): void {
  const woken = waiting.get(suite) ?? []
  waiting.delete(suite)
  for (const go of woken) go()
}

// A canary costs a session, so it waits for runs that may make it needless.
async function untilProvenOrOver(suite: object, engineName: string): Promise<boolean> {
  for (;;) {
    if (isProven(suite, engineName)) return true
    if ((underWay.get(suite)?.size ?? 0) === 0) return false
    await new Promise<void>((resolve) => waiting.set(suite, [...(waiting.get(suite) ?? []), resolve]))
  }
}

/**
 * Whether a skill can be seen to be used at all. Where no run of the suite has shown it, a skill that every prompt of its
 * own asks for is run, once per suite: were it not used either, a rate of 0 would say nothing of the description.
 */
export async function findOutWhetherSkillsFire(request: CanaryRequest): Promise<'failed' | 'fired' | null> {
  const { name } = request.like.engine.engine
  if (await untilProvenOrOver(request.suite, name)) return null
  const ofSuite = canaries.get(request.suite) ?? new Map<string, Promise<boolean>>()
  const canary = ofSuite.get(name) ?? runCanary(request)
  canaries.set(request.suite, ofSuite.set(name, canary))
  return (await canary) ? 'fired' : 'failed'
}

// A suite's module is loaded once for each pass, so what one pass has shown counts for that one only.
const proven = new WeakMap<object, ReadonlySet<string>>()
const underWay = new WeakMap<object, Set<object>>()
const waiting = new WeakMap<object, readonly (() => void)[]>()
const canaries = new WeakMap<object, Map<string, Promise<boolean>>>()

async function runCanary({ suite, settings, like }: CanaryRequest): Promise<boolean> {
  const request: AgentRequest = {
    ...like,
    label: `${like.label} (canary)`,
    package: await writeCanary(settings.runFolder),
    suite: { file: suite.file, config: suite.config },
    evalCase: { kind: 'task', files: [], workspaceFiles: [], prompt: PROMPT, target: { kind: 'skill', name: CANARY } },
    endsWith: { skills: [CANARY] },
    source: await answersFor(like, suite, settings),
  }
  const { run } = await runAgent(request)
  const hasFired = skillsUsed(run).includes(CANARY)
  if (hasFired || run.status === 'completed') return hasFired
  // What breaks the canary is not that it was not used.
  throw new AgentEvalsError(
    run.problemCode ?? 'engine-failed',
    `The canary skill could not run: ${run.problem ?? run.status}`,
  )
}

async function writeCanary(runFolder: string): Promise<AgentPackage> {
  const dir = join(runFolder, 'canary', CANARY)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'SKILL.md'), SKILL)
  const skill = { name: CANARY, dir, projectRoot: dir }
  return loadSkillPackage({ package: barePackage({ root: dir, skills: [] }), skill, isTrigger: true }, openTrackedFs())
}

// Where a model answers, the model is asked; elsewhere its part is written, by us or in `canary.yaml`.
async function answersFor(
  { source, engine: { engine } }: AgentRequest,
  suite: Omit<Suite, 'cases'>,
  settings: RunSettings,
): Promise<AnswerSource> {
  const upstream = source.kind === 'record' ? source.upstream : source
  if (upstream.kind === 'live') return { kind: 'live' }
  const file = findCanaryScenario({ suite, engineName: engine.name, settings })
  if (file === null) return { kind: 'scenario', scenario: scenarioFor(engine) }
  const shown = pathFrom(settings.root, file)
  const { scenario, issues } = await loadScenario(file, shown)
  if (scenario === null)
    throw new AgentEvalsError('invalid-scenario', `${shown}: ${issues[0]?.message ?? 'cannot be read'}`)
  return { kind: 'scenario', scenario }
}

const CANARY = 'agent-evals-canary'
const PROMPT = `Use the skill ${CANARY} now. Do nothing else.`
const SKILL = `---
name: ${CANARY}
description: Use this skill whenever the user names ${CANARY}. It is always the right one then.
---

Answer with the one word "tweet".
`

function scenarioFor(engine: Engine): Scenario {
  const { tool, input } = callsOf(engine).useSkill(CANARY)
  return {
    file: 'the canary',
    model: null,
    turns: [
      { line: 1, text: null, tools: [{ name: tool, input, turns: null }], error: null },
      { line: 2, text: 'tweet', tools: [], error: null },
    ],
    side: [],
    judge: [],
  }
}
