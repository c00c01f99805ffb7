import { posix } from 'node:path'
import type { CheckResult } from '../../checks/check.ts'
import { runChecks, type DeclaredCheck } from '../../checks/checks.ts'
import { isPathBelow, isUnchanged } from '../../checks/file-facts.ts'
import { firstLine } from '../../checks/hook-events.ts'
import { allOf, type Engines } from '../../engines/registry.ts'
import { targetOf, type Grader } from '../../formats/plugin-eval/model.ts'
import { hasExtra } from '../../formats/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { namesOf } from '../../packages/package-root.ts'
import { contentOfFile, type TargetContent } from '../../checks/targets.ts'
import type { Position } from '../../lib/documents/document.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { unenforcedPaths } from '../../report/build/summarize-run.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import type { AgentOutcome } from '../../session/agent-request.ts'
import { failedSkillCalls, hookDecisions, plainName, skillsUsed, toolCalls } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { ReplayProblem } from '../replay/decide-replay.ts'

/** What a case declares, and that its fixtures stay as they are where that was asked for. */
export function checksOf(
  suite: Pick<Suite, 'format'>,
  evalCase: Pick<EvalCase, 'checks' | 'files' | 'workspaceFiles'>,
  { readOnlyFixtures }: Pick<RunSettings, 'readOnlyFixtures'>,
): readonly DeclaredCheck[] {
  if (!readOnlyFixtures || !hasExtra(suite.format, 'grading')) return evalCase.checks
  const unchanged = fixturesOf(evalCase).map(({ to, at }) => ({ kind: 'file-unchanged' as const, value: to, at }))
  return [...evalCase.checks, ...unchanged]
}

/** Names the fixtures that a run has changed or deleted. They are copies, so an eval may be about just that. */
export function changedFixtures(
  suite: Pick<Suite, 'format'>,
  evalCase: Pick<EvalCase, 'files' | 'workspaceFiles'>,
  run: AgentRun,
): readonly string[] {
  if (!hasExtra(suite.format, 'grading')) return []
  const fixtures = fixturesOf(evalCase)
  const changed = [...run.files.modified.map(({ path }) => path), ...run.files.deleted]
  const found = changed.filter((path) => fixtures.some(({ to }) => isPathBelow(path, to)))
  const unknown = fixtures.flatMap(({ to }) => {
    const fact = isUnchanged(to, run.files)
    return fact.is === 'unknown' ? [`${to} (${fact.because})`] : []
  })
  return [
    ...(found.length === 0 ? [] : [`The run changed fixtures: ${found.slice(0, 10).join(', ')}.`]),
    ...(unknown.length === 0
      ? []
      : [`It is unknown whether the run changed fixtures: ${unknown.slice(0, 10).join(', ')}.`]),
  ]
}

/** The files that a case brings, those that stand in the case itself included. */
export function fixturesOf({
  files,
  workspaceFiles,
}: Pick<EvalCase, 'files' | 'workspaceFiles'>): readonly { readonly to: string; readonly at: Position }[] {
  return [...files, ...workspaceFiles]
}

/** Reads the files of a workspace that graders name, before it is removed. */
export async function readTargetFiles(
  graders: readonly Grader[],
  root: string,
): Promise<ReadonlyMap<string, TargetContent>> {
  const paths = graders.flatMap((grader) => {
    const target = targetOf(grader)
    return target?.kind === 'file' ? [target.path] : []
  })
  const files = new Map<string, TargetContent>()
  for (const path of new Set(paths))
    // `a/../b.txt` is `b.txt`, as `claude plugin eval` has it; what is outside after that is refused.
    files.set(path, contentOfFile(path, await readWorkspaceFile(root, posix.normalize(path), MAX_BYTES)))
  return files
}

const MAX_BYTES = 8 * 1024 * 1024

/** Says that a run never touched what it evaluates; empty when it did. */
export function unusedTarget(
  run: AgentRun,
  { arm, checks, target }: Pick<EvalCase, 'arm' | 'checks' | 'target'>,
): readonly string[] {
  if (run.status !== 'completed' || arm !== undefined) return []
  if (target?.kind === 'skill' && !skillsUsed(run).some((skill) => namesOf(target).includes(plainName(skill)))) {
    const failed = failedSkillCalls(run).find(({ skill }) => namesOf(target).includes(skill))
    const tried =
      failed === undefined ? '' : ` It tried to call ${failed.skill}; the call failed: ${firstLine(failed.text)}`
    return [`The skill ${target.name} was never used in this run.${tried}`]
  }
  const isChecked = checks.some(({ kind }) => kind === 'hook-ran')
  if (target?.kind === 'hook' && !isChecked && hookDecisions(run, target.name).length === 0)
    return [`No hook of ${target.name} ran.`]
  return []
}

/**
 * Says that the skill was used where there must be none; `null` when it was not. What such a run shows is no comparison.
 */
export function usedInBaseline(run: AgentRun, { arm, target }: Pick<EvalCase, 'arm' | 'target'>): Decision | null {
  if (arm !== 'without_skill' || target === null) return null
  const used = skillsUsed(run).find((skill) =>
    namesOf(target).some((name) => skill === name || skill.endsWith(`:${name}`)),
  )
  if (used === undefined) return null
  const message = `The skill ${used} was used in the run without it: the session can read a copy of it. Remove the copy, or exclude it from the overlays.`
  return { outcome: 'errored', reason: message, error: { code: 'baseline-contaminated', message } }
}

/** A run that passed by a write which a sandbox would have refused has shown nothing; `null` for every other. */
export function wroteElsewhere(
  { outcome }: Decision,
  run: Pick<AgentRun, 'files' | 'sandbox'>,
  config: Pick<Suite['config'], 'writablePaths'>,
): Decision | null {
  if (outcome !== 'passed' || unenforcedPaths(run, config).length === 0) return null
  const { created, modified, deleted } = run.files
  const paths = [...created, ...modified].map(({ path }) => path).concat(deleted)
  const outside = paths.filter((path) => !config.writablePaths?.some((folder) => isPathBelow(path, folder)))
  if (outside.length === 0) return null
  const message = `The agent wrote outside of \`writable-paths\`: ${firstInSentence(outside, 3)}. A sandbox would have refused that, and none was there. Run the case in one.`
  return { outcome: 'errored', reason: message, error: { code: 'sandbox-unavailable', message } }
}

/** Notes a run that ended with a question: no user was there to answer, so it may have stopped halfway. */
export function endsByAsking(
  run: Pick<AgentRun, 'finalMessage' | 'status' | 'transcript'>,
  engines?: Engines,
): readonly string[] {
  if (run.status !== 'completed') return []
  const question = askedByTool(run, engines) ?? lastQuestion(run.finalMessage)
  if (question === null) return []
  return [
    `The run ended by asking ${JSON.stringify(question.slice(0, 200))} and no user answers. Add the answer to the prompt, or state that the run is headless.`,
  ]
}

// The last call, not any: what was asked and refused earlier did not end the run.
function askedByTool(run: Pick<AgentRun, 'transcript'>, engines?: Engines): string | null {
  const { call: last, result = null } = toolCalls(run).at(-1) ?? {}
  if (last === undefined || !allOf('askTools', engines).includes(last.tool)) return null
  // An answer of the case was given.
  if (result !== null && !result.isError) return null
  return /"question":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(last.input))?.[1] ?? last.tool
}

// A list of answers to choose from may follow the question.
function lastQuestion(message: string): string | null {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const last = lines.findLastIndex((line) => !/^(?:[-*+•]|\(?[\da-z]{1,2}[.)])\s/i.test(line))
  const line = (last === -1 ? lines.at(-1) : lines[last]) ?? ''
  const sentence = line.split(/(?<=[.!?？])\s+/).at(-1) ?? ''
  const plain = sentence.replaceAll(/^[\s*_"'“>#]+|(?<![\s*_"'”)])[\s*_"'”)]+$/g, '')
  return /[?？]$/.test(plain) ? plain : null
}

/**
 * Why a skill that was not used could not have been: a rate of 0 would say nothing of its description. `null` where it
 * was used, was offered, or the session does not say what it offers.
 */
export function whyNotOffered(
  { run, skillsListed }: Pick<AgentOutcome, 'run' | 'skillsListed'>,
  skill: string | null,
  { skills }: Pick<AgentPackage, 'skills'>,
): ReplayProblem | null {
  if (skill === null || skillsListed === null || run.status !== 'completed') return null
  const isUsed = run.transcript.some((event) => event.kind === 'skill-used' && plainName(event.skill) === skill)
  if (isUsed) return null
  const hiddenFrom = skills.find(({ name }) => name === skill)?.hiddenFrom ?? null
  if (hiddenFrom === 'model') {
    const message = `The skill ${skill} is not offered to a model: its SKILL.md has \`disable-model-invocation\`. Remove that, or remove its queries.`
    return { code: 'skill-not-offered', message }
  }
  // What a person cannot call is not in the list, and offered all the same.
  if (hiddenFrom === 'user' || skillsListed.some((name) => plainName(name) === skill)) return null
  const offered = skills
    .map(({ name }) => name)
    .filter((name) => skillsListed.some((listed) => plainName(listed) === name))
  const others = offered.length === 0 ? 'none of its siblings either' : offered.join(', ')
  const message = `The session did not offer the skill ${skill}, so it could not be used. It offered ${others}. Check its SKILL.md: the folder name counts, and invalid front matter hides the skill.`
  return { code: 'skill-not-offered', message }
}

/** Marks the checks of a skill's eval that a run passes in which nothing happens. */
export function markWeakChecks(
  {
    suite,
    evalCase,
  }: { readonly suite: Pick<Suite, 'format'>; readonly evalCase: Pick<EvalCase, 'checks' | 'target'> },
  checks: readonly CheckResult[],
  run: AgentRun,
): readonly CheckResult[] {
  if (!hasExtra(suite.format, 'grading')) return checks
  const before = runChecks(evalCase.checks, withoutDeeds(run), evalCase.target)
  return checks.map((check, index) =>
    before[index]?.outcome === 'passed' ? { ...check, weak: check.weak ?? HOLDS_BEFORE } : check,
  )
}

const HOLDS_BEFORE = 'It also holds on an untouched workspace, so alone it does not show that the agent did anything.'

function withoutDeeds(run: AgentRun): AgentRun {
  const files = { created: [], modified: [], deleted: [], unreadable: [] }
  return { ...run, output: '', finalMessage: '', transcript: [], files }
}
