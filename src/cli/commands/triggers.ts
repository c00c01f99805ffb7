import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentEvalsError } from '../../lib/errors.ts'
import { nearestName, suggestName } from '../../lib/documents/nearest-name.ts'
import { withDescription } from '../../lib/documents/validate.ts'
import { runInForeground } from '../../sandbox/process/launch.ts'
import { createTemporaryFolder } from '../../sandbox/process/git.ts'
import { pathFrom, namesOf } from '../../packages/package-root.ts'
import { foldReports } from '../../report/fold/fold.ts'
import { buildTriggerMatrix } from '../../report/build/trigger-matrix.ts'
import { plural, toPrintableLine } from '../../lib/text.ts'
import { readJournals } from '../../report/results/read-journal.ts'
import { runsFolder, type RunFolder } from '../../report/results/run-folder.ts'
import { findSkills } from '../../formats/skill-evals/skill-index.ts'
import { NOTHING } from '../../formats/format.ts'
import { TRIAL_VARIABLE, type SkillTrial } from '../../formats/skill-evals/skill-suites.ts'
import { findRunFolders } from '../../report/results/past-runs.ts'
import { formatComparison, formatMatrix, formatStolen } from '../output/format-triggers.ts'
import { flagHelp, type Command } from '../flags.ts'
import { hasEvals } from '../find/search.ts'
import { painter, print, type Paint } from '../../report/summary/terminal.ts'
import { isScripted, type CaseResult } from '../../report/results/result.ts'
import type { KnownSkill } from '../../formats/suite.ts'
import { readTextFile } from '../../lib/files.ts'
import { firstOf } from '../../lib/lists.ts'

const FLAGS = {
  description: {
    type: 'string',
    value: 'TEXT',
    help: 'try another description of one skill on its queries; edits no file',
  },
  'description-file': { type: 'string', value: 'FILE', help: 'the same, with the text of a file' },
  target: {
    type: 'string',
    value: 'skill:NAME',
    help: 'the skill; needed for a description where there are several',
  },
} as const

/** `agent-evals triggers`: which skill of the repository answers to which query. */
export const triggers: Command = {
  name: 'triggers',
  usage: '[filter...] [options] [options of run]',
  details: [
    'Scenarios are played; every other query goes to the model. Recordings are neither used nor written.',
    'The report stays in the run folder, unless -o names a file.',
    '',
    ...flagHelp(FLAGS),
    '',
    'All options of run are understood, such as --runs 5, --max-cost-usd 2 or --engine codex.',
    'Exit code: as that of run; with a description, that of the run with it.',
  ],
  async run(argv) {
    const flags = readArguments(argv)
    const { skills, others } = await findSkills(flags.root)
    if (!(await hasEvals(flags.root))) throw new AgentEvalsError('no-match', NOTHING)
    if (skills.length === 0)
      throw new AgentEvalsError('no-match', `There is no skill below ${flags.root}: no folder with a SKILL.md.`)
    const paint = painter()
    const subject = flags.description === null ? null : chooseSkill(flags.target, skills)
    const target = subject === null || flags.target !== null ? [] : ['--target', `skill:${subject.name}`]
    const args = [...flags.rest, ...target]
    print(
      paint('dim', `${plural(skills.length, 'skill')}, installed together: ${list(skills.map(({ name }) => name))}`),
    )
    const left = others.map(({ dir }) => pathFrom(flags.root, dir))
    if (left.length > 0) print(paint('yellow', `Not installed, because another skill has the name: ${list(left)}`))

    const usual = await runTrial({ skills }, { ...flags, args })
    if (subject === null || flags.description === null) {
      const width = process.stdout.columns ?? 120
      const { measured, notes } = measuredOf(usual.results, paint)
      const stolen = formatStolen(measured, width)
      const isAllScripted = measured.length === 0 && notes.length > 0
      const matrix = isAllScripted ? [] : ['', ...formatMatrix(buildTriggerMatrix(measured), paint, width)]
      print([...matrix, ...(stolen.length === 0 ? [] : ['', ...stolen]), ...notes])
      return usual.exitCode
    }
    if (usual.exitCode === INTERRUPTED) return usual.exitCode
    print(['', paint('bold', `${subject.name}, with the other description:`)])
    const tried = await withOtherDescription(subject, flags.description, skills, (trial) =>
      runTrial(trial, { ...flags, args }),
    )
    const both = [usual, tried].map(({ results }) => measuredOf(results, paint))
    const [before, after] = both.map(({ measured }) => buildTriggerMatrix(measured))
    const isMeasured = both.some(({ measured }) => measured.length > 0)
    if (isMeasured && before !== undefined && after !== undefined)
      print(['', ...formatComparison(before, after, paint)])
    print(both.find(({ notes }) => notes.length > 0)?.notes ?? [])
    return tried.exitCode
  },
}

// A scenario says what somebody wrote, whatever the descriptions are.
function measuredOf(
  results: readonly CaseResult[],
  paint: Paint,
): { readonly measured: readonly CaseResult[]; readonly notes: readonly string[] } {
  const queries = results.filter(({ trigger }) => trigger !== null)
  const measured = queries.filter((result) => !isScripted(result))
  const scripted = queries.length - measured.length
  const note = `${scripted} of ${queries.length} queries had scripted answers, which measure no description. Ask a model with --live.`
  return { measured, notes: scripted === 0 ? [] : ['', paint('yellow', note)] }
}

const INTERRUPTED = 130

function list(names: readonly string[]): string {
  return firstOf(names.map(toPrintableLine), MOST_NAMES).join(', ')
}

const MOST_NAMES = 20

interface TriggerFlags {
  /** Absolute path. */
  readonly root: string
  readonly description: string | null
  /** As `--target` says it. */
  readonly target: string | null
  /** Everything else, for `run`. */
  readonly rest: readonly string[]
}

function readArguments(argv: readonly string[]): TriggerFlags {
  const { values, tokens } = parseArgs({ args: [...argv], options: OPTIONS, strict: false, tokens: true })
  const ownTokens = new Set<number>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    if (token.name !== 'description' && token.name !== 'description-file') {
      refuseMisspelt(token)
      continue
    }
    ownTokens.add(token.index)
    if (token.inlineValue === false) ownTokens.add(token.index + 1)
  }
  const { root, target, description, 'description-file': file, source, record } = values
  if (record === true || source === 'record' || source === 'replay')
    throw new AgentEvalsError(
      'invalid-options',
      'triggers neither writes nor plays recordings. Use npx vitest-agent-evals run --mode trigger for these.',
    )
  return {
    root: resolve(typeof root === 'string' ? root : '.'),
    description: readDescription(description, file),
    target: typeof target === 'string' ? target : null,
    rest: argv.filter((_, index) => !ownTokens.has(index)),
  }
}

// A description that is not tried would cost as much as one that is.
function refuseMisspelt({ name, rawName }: { readonly name: string; readonly rawName: string }): void {
  if (Object.hasOwn(OPTIONS, name) || nearestName(name, ['description', 'description-file']) === null) return
  throw new AgentEvalsError('invalid-options', `${rawName} is not known.${suggestName(name, Object.keys(FLAGS))}`)
}

// These are options of `run`, too.
const OPTIONS = { ...FLAGS, root: { type: 'string' }, source: { type: 'string' }, record: { type: 'boolean' } } as const

type Value = boolean | string | undefined

function readDescription(text: Value, file: Value): string | null {
  if (text === undefined && file === undefined) return null
  if (text !== undefined && file !== undefined)
    throw new AgentEvalsError('invalid-options', 'Use either --description or --description-file, not both.')
  const description = typeof file === 'string' ? readText(file) : text
  if (typeof description === 'string' && description.trim() !== '') return description.trim()
  throw new AgentEvalsError('invalid-options', 'The description is empty: an agent chooses a skill by it.')
}

function readText(file: string): string {
  try {
    return readTextFile(file)
  } catch (cause) {
    throw new AgentEvalsError('invalid-options', `--description-file: ${file} cannot be read.`, { cause })
  }
}

function chooseSkill(target: string | null, skills: readonly KnownSkill[]): KnownSkill {
  const names = skills.flatMap(namesOf)
  const name = target?.replace(/^skill:/, '') ?? null
  const [only, ...others] = name === null ? skills : skills.filter((skill) => namesOf(skill).includes(name))
  if (only !== undefined && (name !== null || others.length === 0)) return only
  const problem =
    name === null
      ? 'Name the skill whose description it is'
      : `There is no skill ${name}.${suggestName(name, names)} Name one`
  throw new AgentEvalsError('invalid-options', `${problem}: --target skill:NAME with one of ${names.join(', ')}.`)
}

// The copy is installed in place of the skill, whose own files nothing touches.
async function withOtherDescription<T>(
  subject: KnownSkill,
  description: string,
  skills: readonly KnownSkill[],
  use: (trial: SkillTrial) => Promise<T>,
): Promise<T> {
  const folder = createTemporaryFolder('agent-evals-description-')
  try {
    const dir = join(folder, subject.name)
    cpSync(subject.dir, dir, { recursive: true })
    const file = join(dir, 'SKILL.md')
    const text = withDescription(readTextFile(file), description)
    // A copy of a link would still lead out of the copy.
    rmSync(file)
    writeFileSync(file, text)
    return await use({ skills: skills.map((skill) => (skill === subject ? { ...skill, dir } : skill)) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface FinishedTrial {
  readonly exitCode: number
  readonly results: readonly CaseResult[]
}

async function runTrial(
  { skills }: SkillTrial,
  { root, args }: { readonly root: string; readonly args: readonly string[] },
): Promise<FinishedTrial> {
  const folder = createTemporaryFolder('agent-evals-trial-')
  const startedAt = new Date().toISOString()
  try {
    const file = join(folder, 'trial.json')
    writeFileSync(file, JSON.stringify({ skills: skills.map(({ name, dir }) => ({ name, dir })) } satisfies SkillTrial))
    const exitCode = await startRun(args, { ...process.env, [TRIAL_VARIABLE]: file })
    return { exitCode, results: readResults(root, startedAt) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// Vitest ends its process with a run, and there may be two.
async function startRun(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const hasReport = args.some((one) => one === '-o' || one.startsWith('--report'))
  const fixed = ['run', '--mode', 'trigger', '--no-resume', ...(hasReport ? [] : ['--no-report'])]
  const program = [...process.execArgv, process.argv[1] ?? '']
  return (await runInForeground(process.execPath, [...program, ...fixed, ...args], env)) ?? INTERRUPTED
}

function readResults(root: string, startedAt: string): readonly CaseResult[] {
  const folders = findRuns(runsFolder(root)).filter(({ plan }) => plan.startedAt >= startedAt)
  const folded = foldReports(
    folders.map(({ path, plan }) => ({ plan, journal: readJournals(path) })),
    'finished',
  )
  return folded.flatMap(({ results }) => results)
}

// A run that could not start has printed why, and left none.
function findRuns(folder: string): readonly RunFolder[] {
  try {
    return findRunFolders(folder)
  } catch (error) {
    if (error instanceof AgentEvalsError && error.code === 'no-match') return []
    throw error
  }
}
