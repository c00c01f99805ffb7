import { ENGINES, type ConformingEngine } from '../conformance/engines.ts'
import { scenarioFile, type WrittenTurn } from '../package-run.ts'

/** Texts by path. */
export type Files = Readonly<Record<string, string>>

/** A case of a package, with the scenario that plays its model and judge. */
export interface AamCase {
  readonly prompt?: string
  readonly description?: string
  readonly target?: string
  readonly files?: readonly string[]
  readonly expected?: object
  /** Statements of the judge, one a line. */
  readonly criteria?: string
  readonly turns: readonly WrittenTurn[]
  /** Answers of the judge, `null` for none; by default it agrees and quotes the last words. */
  readonly judge?: readonly unknown[] | null
}

/** Files of a package of the engine with these cases. */
export function aamPackage(
  engine: string,
  cases: Readonly<Record<string, AamCase>>,
  files: Files = {},
  config: object = {},
): Files {
  return {
    'package.agent.json': '{ "name": "red", "version": "1.0.0" }\n',
    'evals/eval-config.json': JSON.stringify({ version: 1, engine, ...config }),
    ...Object.fromEntries(Object.entries(cases).flatMap(([name, one]) => caseFiles(name, one))),
    ...files,
  }
}

/** Files of a package whose agent is a shell and whose prompts are its scripts: sessions that take milliseconds. */
export function shellPackage(cases: Readonly<Record<string, AamCase>>, files: Files = {}, config: object = {}): Files {
  const scripts = Object.entries(cases).map(([name, one]) => [name, { ...one, turns: ['Hello'] }])
  return aamPackage('shell', Object.fromEntries(scripts), files, { judge: 'claude-sonnet', ...config })
}

function caseFiles(name: string, one: AamCase): readonly (readonly [path: string, text: string])[] {
  const { prompt = `Go: ${name}.`, description, target, files, expected, turns, judge } = one
  const { criteria = 'It does as it was told.' } = one
  const written = { name, description, target, input: { prompt, files }, expected, judge: { criteria } }
  const scenario =
    judge === undefined ? scenarioFile(turns) : JSON.stringify({ turns, judge: judge ?? undefined }, null, 2)
  return [
    [`evals/cases/${name}.yaml`, JSON.stringify(written, null, 2)],
    [`evals/scenarios/${name}.yaml`, scenario],
  ]
}

/** How a model speaks to this engine. */
export function engineNamed(name: string): ConformingEngine {
  const found = ENGINES.find((engine) => engine.name === name)
  if (found === undefined) throw new Error(`There is no engine ${name}.`)
  return found
}
