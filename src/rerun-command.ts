import type { PlannedCase } from './report/result.ts'

/** The command line that runs just this case again. */
export function rerunCommand({ file, at }: Pick<PlannedCase, 'file' | 'at'>, project: string): string {
  return `npx vitest run --project ${quote(project)} ${quote(`${file}:${at.line}`)}`
}

// POSIX shells; what needs no quotes stays readable.
function quote(argument: string): string {
  return /^[\w./:@%+=-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
}
