import { join } from 'node:path'
import { loadSuite } from '../../../src/formats/load-suite.ts'
import type { CallFields } from '../../../src/checks/calls.ts'
import type { Target } from '../../../src/checks/targets.ts'
import type { Grader } from '../../../src/formats/plugin-eval/model.ts'
import type { ReportCase } from '../../../src/report/report.ts'
import { graderLine, resultLine, type CaseScores, type RunScores, type Scores } from './aggregate.ts'

/** The scores in a report of plugin evals; `root` is the Vitest root. */
export async function ourScores(cases: readonly ReportCase[], root: string): Promise<Scores> {
  const read = cases
    .filter(({ arm }) => arm === null)
    .map(async (one) => {
      const without = cases.find(({ id }) => id === `${one.id}@without_skill`)
      return [one.name, await caseScores(one, without, root)] as const
    })
  return Object.fromEntries(await Promise.all(read))
}

async function caseScores(one: ReportCase, without: ReportCase | undefined, root: string): Promise<CaseScores> {
  const [score, scoreWithout] = [one.graded?.score ?? null, without?.graded?.score ?? null]
  const { cases } = await loadSuite(join(root, one.file), { root })
  const graders = cases.flatMap((evalCase) => (evalCase.kind === 'plugin-eval' ? evalCase.pluginEval.graders : []))
  return {
    score,
    scoreWithout,
    delta: score === null || scoreWithout === null ? null : score - scoreWithout,
    graders: graders
      .map((grader) => graderLine(grader.name, grader.type, grader.weight, writtenConfig(grader)))
      .toSorted(),
    runs: { with: runScores(one), without: without === undefined ? [] : runScores(without) },
  }
}

function runScores(one: ReportCase): readonly RunScores[] {
  return one.runs.map(({ verdict }) => {
    const { outcome, graded, checks } = verdict ?? one
    const graders = graded?.graders ?? []
    const aborted = checks.find(({ kind }) => kind === 'mock')
    const [, server, tool] = /([^_]+)__([^_]+)$/.exec(String(aborted?.value)) ?? []
    return {
      score: outcome === 'errored' ? null : (graded?.score ?? null),
      graders: resultLine(graders.map(({ name, result, scored }) => ({ name, passed: result === 'PASS', scored }))),
      ...(aborted === undefined ? {} : { aborted: `${server}/${tool}` }),
    }
  })
}

/** The fields of a grader as an author writes them, without its name, type and weight. */
function writtenConfig(grader: Grader): Readonly<Record<string, unknown>> {
  const arm = grader.arm === null ? {} : { arm: grader.arm }
  if (grader.type === 'llm') return { criteria: grader.criteria, focus: writtenTarget(grader.focus), ...arm }
  if (grader.type === 'baseline') return { baseline_file: grader.baselineFile, criteria: grader.criteria, ...arm }
  const { check } = grader
  switch (check.kind) {
    case 'matches':
    case 'not-matches': {
      const { target, value, flags, times } = check
      const match = check.kind === 'not-matches' ? 'not_contains' : times === undefined ? 'contains' : `count:${times}`
      return { target: writtenTarget(target), pattern: value, flags, match, ...arm }
    }
    case 'first-called':
      return { before: writtenTool(check.before), after: writtenTool(check.after), ...arm }
    case 'tool-called': {
      const { min, max } = check
      return {
        ...writtenTool(check),
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        ...arm,
      }
    }
    case 'glob-created':
      return { path: check.value, exists: check.exists, ...arm }
    default:
      throw new Error(`no grader is ${check.kind}`)
  }
}

function writtenTarget(target: Target | undefined): unknown {
  return target?.kind === 'file' ? { source: 'file', path: target.path } : target?.kind
}

function writtenTool({ value, inputMatch }: CallFields): Readonly<Record<string, unknown>> {
  return { tool: value, ...(inputMatch === undefined ? {} : { input_match: inputMatch.value }) }
}
