import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DeclaredCheck } from '../../checks/checks.ts'
import { BEFORE } from '../../formats/before.ts'
import { describeAnswers, kindOf, slugOfQuery, wholePrompt } from '../../formats/kinds.ts'
import {
  DEFAULT_ENGINE,
  type CasePart,
  type Criteria,
  type EvalCase,
  type Suite,
  type TriggerQuestion,
} from '../../formats/suite.ts'
import type { SuiteCache } from '../../formats/format.ts'
import { TEST_FORMAT, toPathSegment } from '../../formats/paths.ts'
import { nameVariant, tagsOf, variantsOf, type Variant } from '../../formats/variants.ts'
import { QUESTION } from '../../judges/judgement.ts'
import type { Position } from '../../lib/documents/document.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings } from '../../options/settings.ts'
import { packageRootOf, pathFrom } from '../../packages/package-root.ts'
import type { AskedHash, PlannedCase } from '../../report/results/result.ts'
import { isInQuarantine } from '../../options/quarantine.ts'

/** What is planned for a case before it runs; the same in the main process and in a worker. */
export function planCase(
  suite: Parameters<typeof identifyCase>[0],
  evalCase: AskedCase & Parameters<typeof identifyCase>[1],
  settings: Pick<RunSettings, 'engine' | 'quarantine' | 'root'>,
): PlannedCase {
  const planned = identifyCase(suite, evalCase, settings)
  // What runs for comparison only gates nothing anyway.
  const quarantined = planned.arm === undefined && isInQuarantine(planned, settings.quarantine)
  return { ...planned, ...(quarantined ? { quarantined } : {}), asked: hashCase(evalCase) }
}

/** The same without what the case asks, whose hashes take a moment, and whether it is in quarantine. */
export function identifyCase(
  suite: Pick<Suite, 'config' | 'file' | 'format' | 'packageRoot'>,
  evalCase: Pick<
    EvalCase,
    'arm' | 'at' | 'category' | 'engine' | 'id' | 'model' | 'name' | 'sharesLine' | 'tags' | 'target'
  >,
  settings: Pick<RunSettings, 'engine' | 'root'>,
): Omit<PlannedCase, 'asked' | 'quarantined'> {
  const path = pathFrom(suite.packageRoot, suite.file)
  const { arm, model } = evalCase
  return {
    id: [`${path}#${evalCase.id}`, model, arm].filter((part) => part !== undefined).join('@'),
    name: evalCase.name,
    ...(model === undefined ? {} : { model }),
    ...(arm === undefined ? {} : { arm }),
    suite: path,
    format: suite.format,
    file: pathFrom(settings.root, suite.file),
    at: evalCase.at,
    ...(evalCase.sharesLine === undefined ? {} : { sharesLine: evalCase.sharesLine }),
    target: evalCase.target === null ? null : `${evalCase.target.kind}:${evalCase.target.name}`,
    category: evalCase.category,
    tags: evalCase.tags,
    packageRoot: suite.packageRoot,
    engineName: evalCase.engine ?? nearest(settings.engine, suite.config.engine, DEFAULT_ENGINE),
  }
}

/** A case of which nothing is known yet but where it stands. */
export const NOTHING_ASKED = {
  kind: 'task',
  target: null,
  category: null,
  tags: [],
  prompt: '',
  checks: [],
  criteria: null,
  files: [],
  workspaceFiles: [],
} as const

/** A file of tests in TypeScript: all that is known of it before it has run. */
export type TestFile = Omit<Suite, 'cases'>

/** A test of such a file. */
interface NamedTest {
  /** With the names of its describe blocks. */
  readonly name: string
  readonly at: Position
}

/** What is planned for a test in TypeScript: its file says nothing more before it runs. */
export function planTest(
  { config, file, packageRoot }: Pick<TestFile, 'config' | 'file' | 'packageRoot'>,
  { name, at }: NamedTest,
  settings: Matrix & Pick<RunSettings, 'before' | 'engine' | 'quarantine' | 'root'>,
): PlannedCase {
  const suite = { config, file, packageRoot, format: TEST_FORMAT }
  const isBefore = settings.before !== undefined && name.endsWith(BEFORE)
  const whole = isBefore ? name.slice(0, -BEFORE.length) : name
  const variant = variantsFor({ config }, settings).find((one) => whole.endsWith(nameVariant('', one)))
  const ofVariant = variant === undefined ? {} : { ...variant, tags: tagsOf(variant) }
  const bare = variant === undefined ? whole : whole.slice(0, -nameVariant('', variant).length)
  const ofArm = isBefore ? { arm: 'variant' as const } : {}
  const evalCase = { ...NOTHING_ASKED, id: toPathSegment(bare), name, at, ...ofVariant, ...ofArm }
  return { ...planCase(suite, evalCase, settings), asked: [] }
}

/** The engines and models that are asked for, where it may be several. */
export type Matrix = Pick<RunSettings, 'engineMatrix' | 'modelMatrix'>

/** Engines of which each test of a file is run on every one; none where there is only one. */
export function enginesOf(
  { config }: Pick<TestFile, 'config'>,
  { engineMatrix }: Pick<Matrix, 'engineMatrix'>,
): readonly string[] {
  const engines = nearest(engineMatrix, config.engine === null ? null : [config.engine], [])
  return engines.length < 2 ? [] : engines
}

/** The engines and models of which each runs every case of a file; none where there is one of both. */
export function variantsFor(file: Pick<TestFile, 'config'>, matrix: Matrix): readonly Variant[] {
  return variantsOf(enginesOf(file, matrix), matrix.modelMatrix)
}

/** The parts of a case that decide what is asked of the agent and of its judge. */
export type AskedCase = CasePart<'answers' | 'checks' | 'criteria' | 'files' | 'prompt' | 'turns' | 'workspaceFiles'>

/**
 * Hashes what a case asks, part by part: two reports compare only cases that ask the same, and say what differs.
 * Comments, descriptions and the order of lines are no part of it.
 */
export function hashCase(evalCase: AskedCase): readonly AskedHash[] {
  const { criteria, checks, files, workspaceFiles } = evalCase
  const expected = [...checks.map(withoutPlace), ...kindOf(evalCase).expected(evalCase)]
  const placed = [
    ...files.map(({ to }) => [to, null]),
    ...workspaceFiles.map(({ to, from, content }) => [to, from === null ? content : null]),
  ]
  return [
    { role: 'prompt', hash: hashOf([wholePrompt(evalCase), ...describeAnswers(evalCase)].join('\n\n')) },
    { role: 'checks', hash: hashOf(JSON.stringify(expected.toSorted(byText))) },
    { role: 'workspace', hash: hashOf(JSON.stringify(placed.toSorted(byText))) },
    ...(criteria === null
      ? []
      : ([
          { role: 'criteria', hash: hashOf(JSON.stringify(wordsOf(criteria))) },
          { role: 'judge-prompt', hash: hashOf(QUESTION) },
        ] as const)),
  ]
}

function withoutPlace({ at: _at, says: _says, ...check }: DeclaredCheck): object {
  return 'folder' in check ? { ...check, folder: '' } : check
}

function wordsOf({ text, statements, context }: Criteria): readonly unknown[] {
  return [text.trim(), statements?.map((statement) => statement.text) ?? null, context?.join('\n\n') ?? null]
}

function byText(a: unknown, b: unknown): number {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

function hashOf(text: string): string {
  return hash('sha256', text)
}

/** How often a case is run. */
export function countRuns(evalCase: CasePart<'runs'>, settings: Pick<RunSettings, 'runs'>): number {
  const kind = kindOf(evalCase)
  return nearest(settings.runs, kind.runs(evalCase), kind.defaultRuns)
}

/** Share of the completed runs of a query from which on it counts as fired. */
export function triggerThreshold(
  { threshold }: Pick<TriggerQuestion, 'threshold'>,
  settings: Pick<RunSettings, 'triggerThreshold'>,
): number {
  return nearest(settings.triggerThreshold, threshold, TRIGGER_THRESHOLD)
}

const TRIGGER_THRESHOLD = 0.5

/** The suite that a file of tests in TypeScript is: its cases are known by its tests alone. */
export async function describeTestFile(
  file: string,
  root: string,
  { configOf }: Pick<SuiteCache, 'configOf'>,
): Promise<Omit<Suite, 'cases'>> {
  const packageRoot = packageRootOf(file, root)
  const { config, issues } = await configOf(join(packageRoot, 'evals', 'eval-config.json'))
  return { format: TEST_FORMAT, file, packageRoot, config, issues }
}

/** A case, or a query that is no case yet. */
type SluggedCase =
  | CasePart<'id' | 'prompt'>
  | { readonly kind?: never; readonly id: string; readonly prompt: string; readonly trigger: TriggerQuestion }

/** A case in the name of a file: its id, or the first words of a query with a hash, so that a person finds it. */
export function caseSlug(one: SluggedCase): string {
  return one.kind === undefined ? slugOfQuery(one) : kindOf(one).slug(one)
}
