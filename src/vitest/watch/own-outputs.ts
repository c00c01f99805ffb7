import { resolve, sep } from 'node:path'
import type { Vitest } from 'vitest/node'

/**
 * Separates what a run itself writes from what a person edits: a report in the package would otherwise make a
 * watching Vitest run without end.
 *
 * @param report - absolute path of the report, where it was asked for.
 */
export function outputFilter({ config }: Pick<Vitest, 'config'>, report: string | null): (file: string) => boolean {
  const asked: unknown = config.outputFile
  const files = typeof asked === 'object' && asked !== null ? Object.values(asked) : [asked]
  const ofReporters = config.reporters.flatMap((reporter) =>
    Array.isArray(reporter) ? [(reporter[1] as { outputFile?: unknown } | undefined)?.outputFile] : [],
  )
  const paths = [...files, ...ofReporters, report, 'html']
    .filter((path) => typeof path === 'string')
    .map((path) => resolve(config.root, path))
  return (file) => LITTER.test(file) || paths.some((path) => file === path || file.startsWith(`${path}${sep}`))
}

const LITTER = /\/(?:\.git|\.vitest(?:-[a-z]+)?|node_modules|evals\/(?:reports|runs))\//
