import type { Vitest } from 'vitest/node'

/** Whether a program reads the standard output of a reporter; ours goes to standard error then. */
export function isStdoutTaken({ config }: Pick<Vitest, 'config'>): boolean {
  const files: unknown = config.outputFile
  const reporters: readonly unknown[] = config.reporters
  return reporters.some((reporter) => {
    const [name, options] = (Array.isArray(reporter) ? reporter : [reporter]) as [unknown, { outputFile?: unknown }?]
    if (typeof name !== 'string' || !MACHINE_READABLE.has(name)) return false
    const isElsewhere = typeof files === 'string' || (typeof files === 'object' && files !== null && name in files)
    return options?.outputFile === undefined && !isElsewhere
  })
}

const MACHINE_READABLE = new Set(['json', 'junit', 'tap', 'tap-flat'])
