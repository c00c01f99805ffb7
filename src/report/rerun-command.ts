import { basename, dirname, join, relative } from 'node:path'
import { escapePattern } from '../lib/text.ts'
import type { RunSettings } from '../options/settings.ts'
import type { PlannedCase } from './results/result.ts'

/** How Vitest was started. */
export interface VitestStart {
  readonly cwd: string
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Absolute path of its configuration; `null` when there is none. */
  readonly configFile: string | null
  /** Name of the project. */
  readonly project: string
  /** Path of the program that started Vitest; our own needs no configuration. */
  readonly program?: string | undefined
}

/** What a rerun may spend; `null` where it plays what there is. */
export type RerunSource = 'live' | 'record' | null

/** The command line that runs just this case again. */
export function rerunCommand(evalCase: CasePlace, settings: RerunSettings, source: RerunSource = null): string {
  return rerunAllCommand([evalCase], settings, source)
}

/**
 * The command line that runs just these cases again, on the engines that they ran on. It has flags and no variables, so
 * that every shell takes it; where Vitest has no such flag, our own program runs the same.
 */
export function rerunAllCommand(
  cases: readonly CasePlace[],
  settings: RerunSettings,
  source: RerunSource = null,
): string {
  const { cwd, root } = settings
  const isMany =
    source === 'record' && new Set(cases.map(({ file, at }) => `${file}:${at.line}:${at.column}`)).size > MOST_FILTERS
  // Plays what is current, and records the rest.
  const ofModels = source === 'record' && cases.some(({ model }) => model !== undefined)
  const sourceFlags = isMany || ofModels ? ['--source', 'auto'] : source === null ? [] : [`--${source}`]
  const models = ofModels ? (settings.modelMatrix ?? []) : []
  const flags = [...namedEngines(cases, settings), ...namedModels(cases, models), ...sourceFlags]
  const command =
    flags.length === 0 ? settings.command : settings.command.replace(VITEST, OURS).replace(' --project evals', '')
  if (isMany) return [command, ...flags.map(quote)].join(' ')
  const readsColumns = command.startsWith(OURS) && !command.includes(' --project ')
  // Vitest resolves a filter with a line from where it was started, whatever its root.
  const places = cases.map(({ file, at, sharesLine }) => {
    const line = `${relative(cwd, join(root, file))}:${at.line}`
    return readsColumns && sharesLine === true ? `${line}:${at.column}` : line
  })
  const isNamed = cases.every(({ name }) => name !== undefined)
  const isOdd = isNamed && places.some((place) => NO_SHELL.test(place))
  const folders = isOdd ? places.map(plainFolder) : []
  const filters = !isOdd ? places : folders.includes('') ? [] : folders
  const needsNames = isOdd || (!readsColumns && cases.some(({ sharesLine }) => sharesLine === true))
  const names = needsNames ? namePattern(cases) : []
  return [command, ...[...flags, ...new Set(filters), ...names].map(quote)].join(' ')
}

const MOST_FILTERS = 5

type CasePlace = Pick<PlannedCase, 'at' | 'file'> &
  Partial<Pick<PlannedCase, 'engineName' | 'model' | 'sharesLine'>> & { readonly name?: string | undefined }

// The longest part of its path that every shell takes, if any: the name of the case does the rest.
function plainFolder(place: string): string {
  const folder = dirname(place)
  if (folder === '.') return ''
  return NO_SHELL.test(folder) ? plainFolder(folder) : `${folder}/`
}

// Vitest's own filters end at the line, and what no shell takes is left open.
function namePattern(cases: readonly CasePlace[]): readonly string[] {
  const names = [
    ...new Set(cases.map(({ name = '' }) => escapePattern(name.replaceAll(ODD, '\0')).replaceAll('\0', '.'))),
  ]
  return ['-t', names.length === 1 ? `^${names.join('')}$` : `^(${names.join('|')})$`]
}

/** What of the settings a rerun depends on. */
export type RerunSettings = Pick<RunSettings, 'command' | 'cwd' | 'root'> &
  Partial<Pick<RunSettings, 'engineMatrix' | 'modelMatrix'>>

// Otherwise the case would run on the usual engine, or on all of them.
function namedEngines(cases: readonly CasePlace[], { engineMatrix }: RerunSettings): readonly string[] {
  const isUsual =
    engineMatrix === undefined || (engineMatrix.environment === null && (engineMatrix.option ?? []).length < 2)
  const engines = cases.flatMap(({ engineName }) => (engineName === undefined ? [] : [engineName]))
  return isUsual || engines.length === 0 ? [] : ['--engine', [...new Set(engines)].join(',')]
}

// Recordings of several models lie beside each other where all of them are named.
function namedModels(cases: readonly CasePlace[], all: readonly string[]): readonly string[] {
  const models = all.length > 0 ? all : cases.flatMap(({ model }) => (model === undefined ? [] : [model]))
  return models.length === 0 ? [] : ['--model', [...new Set(models)].join(',')]
}

/** The command line that runs the project from the folder where Vitest was started; a filter completes it. */
export function projectCommand({ cwd, root, configFile, project, program = '' }: VitestStart): string {
  const isOurs = OUR_PROGRAM.test(program.replaceAll('\\', '/'))
  const isFound = configFile === null || (dirname(configFile) === root && USUAL_CONFIG.test(basename(configFile)))
  const words = [
    ...(cwd === root ? [] : ['--root', relative(cwd, root)]),
    // Vitest resolves it from the root.
    ...(isFound ? [] : ['--config', relative(root, configFile)]),
    // Ours runs the evals by default.
    ...(isOurs && project === 'evals' ? [] : ['--project', project]),
  ]
  return [isOurs ? OURS : VITEST, ...words.map(quote)].join(' ')
}

const OURS = 'npx vitest-agent-evals run'
const VITEST = 'npx vitest run'
const OUR_PROGRAM = /\/(?:vitest-)?agent-evals$|\/cli\/main\.js$/
const USUAL_CONFIG = /^vite(?:st)?\.config\.[cm]?[jt]s$/

/**
 * Quotes an argument so that sh, PowerShell and cmd.exe all take it; what needs no quotes stays readable. What each of them
 * reads differently between double quotes stays out of filters; elsewhere, such as in the path of a root, it is escaped
 * for sh alone.
 */
export function quote(argument: string): string {
  if (/^[\w./:+=-][\w./:@+=-]*$/.test(argument)) return argument
  // A dollar before the closing quote is one to each shell.
  const [, text = '', end = ''] = /^([^]*?)(\$?)$/.exec(argument) ?? []
  return NO_SHELL.test(text) ? `'${argument.replaceAll("'", String.raw`'\''`)}'` : `"${text}${end}"`
}

// Variables, commands, escapes and the ends of a text. PowerShell takes typographic quotes for quotes too.
const NO_SHELL = /["$`%!\u201c-\u201f\n\r]|\\\\|\\$/
const ODD = /["$`%!\u201c-\u201f\n\r\\]/g
