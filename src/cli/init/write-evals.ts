import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownFolder } from '../../case/prepare/find-scenario.ts'
import { callsOf, engines } from '../../engines/registry.ts'
import type { WrittenCall } from '../../engines/engine.ts'
import { kindOf } from '../../formats/kinds.ts'
import { createSuiteCache, loadSuite } from '../../formats/load-suite.ts'
import { DEFAULT_ENGINE, type Suite } from '../../formats/suite.ts'
import { foldersUpwards } from '../../lib/files.ts'
import { formatJson } from '../../lib/json.ts'
import { nearest, type Layered } from '../../options/option.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { firstCases, plainCase, yamlText, type FirstCase } from './first-cases.ts'
import { firstRequest } from './first-request.ts'
import { writeAll, type NewFile, type Written } from './project-files.ts'
import type { AskedSkill, Survey } from './survey.ts'

/** Skills that get trigger queries unless all are asked for: a first run is to end within a minute. */
export const MAX_SKILLS = 5

/** The files to write, but for the scenarios of queries. */
export interface PlannedEvals {
  readonly files: readonly NewFile[]
  readonly triggers: readonly TriggerFile[]
  /** Name of the engine that answers queries. */
  readonly queryEngine: string
  /** Names of the engines that run what is written. */
  readonly engineNames: ReadonlySet<string>
  /** Number of skills of these packages that get no queries. */
  readonly leftOut: number
}

interface TriggerFile extends NewFile {
  readonly skill: AskedSkill
}

interface PlanOptions {
  /** Whether every skill gets queries. */
  readonly all: boolean
  /** The engine that the environment or the plugin names. */
  readonly engine: Layered<string>
}

/** Plans a case of each kind for each package, and the trigger queries of the first skills, with `all` of each. */
export async function planEvals(
  root: string,
  { packages, skills }: Pick<Survey, 'packages' | 'skills'>,
  { all, engine }: PlanOptions,
): Promise<PlannedEvals> {
  const cache = createSuiteCache()
  const engineNames = new Set<string>()
  const planFiles = async (
    folder: string,
    casesFor: (engine: string) => readonly FirstCase[],
  ): Promise<readonly NewFile[]> => {
    const { config } = await cache.configOf(configPath(folder))
    const name = nearest(engine, config.engine, DEFAULT_ENGINE)
    engineNames.add(name)
    return caseFiles(folder, name, casesFor(name))
  }
  const files: NewFile[] = []
  for (const pkg of packages) files.push(...(await planFiles(pkg.root, (name) => firstCases(pkg, name))))
  if (files.length === 0 && skills.length === 0) files.push(...(await planFiles(root, (name) => [plainCase(name)])))

  const asked = all ? skills : skills.slice(0, MAX_SKILLS)
  // Skill evals do not name an engine, so the configuration must.
  const queryEngine = nearest(engine, null, DEFAULT_ENGINE)
  if (asked.length > 0) engineNames.add(queryEngine)
  return { files, triggers: asked.map(triggerFile), queryEngine, engineNames, leftOut: skills.length - asked.length }
}

/** Writes the files of a plan, and a scenario for each query of a trigger file that is new. */
export async function writeEvals(
  root: string,
  { files, triggers, queryEngine }: PlannedEvals,
  noteDone: () => void = () => {},
): Promise<readonly Written[]> {
  const written: Written[] = [...writeAll(root, files)]
  // One search of the repository, once all trigger files are there.
  const cache = createSuiteCache()
  for (const trigger of writeAll(root, triggers)) {
    written.push(trigger)
    // The author's own queries are not answered by us.
    if (trigger.isNew) {
      const suite = await loadSuite(trigger.file, { root, cache })
      written.push(...writeAll(root, queryScenarios(suite, trigger.skill, queryEngine)))
    }
    noteDone()
  }
  return written
}

function configPath(packageRoot: string): string {
  return join(packageRoot, 'evals', 'eval-config.json')
}

// The configuration of a package's cases, and for each a case and a scenario.
function caseFiles(root: string, engine: string, cases: readonly FirstCase[]): readonly NewFile[] {
  if (cases.length === 0) return []
  const config = configPath(root)
  const $schema = schemaPath(config, 'eval-config')
  const text = formatJson({ $schema, version: 1, engine, timeout: 120, sandbox: { network: false } })
  return [
    { file: config, text },
    ...cases.flatMap((one) => {
      const file = join(root, 'evals', 'cases', `${one.name}.yaml`)
      const scenario = join(root, 'evals', 'scenarios', `${one.name}.yaml`)
      return [{ file, text: caseText(file, one), isHookCase: one.isHook === true }, scenarioFile(scenario, one)]
    }),
  ]
}

function caseText(file: string, { name, body, criteria }: FirstCase): string {
  const judge =
    criteria === null
      ? `# A judge reads the rest, where there is more to say:
# judge:
#   criteria: What must be true of the result.`
      : `judge:
  criteria: >
    ${criteria}`
  return `# yaml-language-server: $schema=${schemaPath(file, 'eval-case')}
name: ${name}
${body}${judge}
`
}

function scenarioFile(
  file: string,
  { calls, answer, criteria }: Pick<FirstCase, 'answer' | 'calls' | 'criteria'>,
): NewFile {
  const judge = `# The judge's answers, one list for each time it is asked: a verdict for each sentence of the criteria.
judge:
  - - verdict: pass
      reason: The quoted sentence shows it.
      quote: ${yamlText(answer)}
`
  const text = `# yaml-language-server: $schema=${schemaPath(file, 'scenario')}
# Answers of the model, written in advance, so that the case runs without a key. Tools, hooks and files are real.
# Remove this file, or run with --live, to ask a model.
turns:
${calls.map(callText).join('')}  - text: ${yamlText(answer)}
${criteria === null ? '' : judge}`
  return { file, text }
}

function callText({ tool, input }: WrittenCall): string {
  const lines =
    typeof input === 'string'
      ? ['input: |', ...input.split('\n')]
      : ['input:', ...Object.entries(input).map(([key, value]) => `${key}: ${yamlText(value)}`)]
  return `  - tools:
      - name: ${tool}
        ${lines.join('\n          ')}
`
}

// Path of one of the package's schemas from a file, as editors want it; the package may be installed further up.
function schemaPath(file: string, name: string): string {
  const folders = foldersUpwards(dirname(file))
  const withPackage = (path: string): string | undefined => folders.find((folder) => existsSync(join(folder, path)))
  const home = withPackage(SCHEMAS) ?? withPackage('package.json') ?? dirname(file)
  return `${pathFrom(dirname(file), home) || '.'}/${SCHEMAS}/${name}.schema.json`
}

const SCHEMAS = 'node_modules/vitest-agent-evals/schemas'

function triggerFile(skill: AskedSkill): TriggerFile {
  const topic = skill.name.replaceAll('-', ' ')
  const text = formatJson({
    _note: 'Edit the queries, then run with --live. Several runs per query show how sure the model is.',
    runs_per_query: 1,
    queries: [
      { query: firstRequest(skill), should_trigger: true },
      { query: `Do you have something for ${topic}? Please use it now`, should_trigger: true },
      { query: 'What is the capital of France?', should_trigger: false },
      { query: 'Rename the variable x to count in src/index.js', should_trigger: false },
    ],
  })
  return { skill, file: join(skill.evalsDir, 'triggers.json'), text }
}

// An edited query has no scenario, and is asked for real.
function queryScenarios(suite: Suite, { name }: AskedSkill, engine: string): readonly NewFile[] {
  const { useSkill } = callsOf(engines[engine])
  // Queries of several skills may be the same.
  const folder = ownFolder({ suite, settings: { root: suite.packageRoot, scenarios: null } })
  return suite.cases.map((query) => {
    const kind = kindOf(query)
    const calls = kind.question(query)?.shouldTrigger === true ? [useSkill(name)] : []
    return scenarioFile(join(folder, `${kind.slug(query)}.yaml`), { calls, answer: 'That is all.', criteria: null })
  })
}
