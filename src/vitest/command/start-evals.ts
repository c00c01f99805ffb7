import { startVitest, type Vitest } from 'vitest/node'
import { evalsUnlessConfigured, type OurProject } from './evals-unless-configured.ts'
import { exitCodeOf } from './exit-code.ts'
import { readEnding } from './read-ending.ts'
import type { VitestArguments } from './vitest-arguments.ts'

/** Runs the project of the evals, with the user's configuration or without any. Resolves to the exit code. */
export function startEvals(args: VitestArguments): Promise<number> {
  return startVitestCommand('evals', args)
}

/** Runs one of our projects. Resolves to the exit code. */
export async function startVitestCommand(kind: OurProject, { filters, options }: VitestArguments): Promise<number> {
  const namesProjects = options.project !== undefined
  const vitest = await startVitest('test', [...filters], options, {
    plugins: [evalsUnlessConfigured(namesProjects, kind)],
  })
  const code = exitCodeOf(readEnding(vitest, process.exitCode))
  if (!vitest.shouldKeepServer()) await leave(vitest, code)
  return code
}

// Vitest gives what still runs a while and then ends the process by itself: the code must be known by then.
async function leave(vitest: Vitest, code: number): Promise<void> {
  process.exitCode = code
  await vitest.exit()
}
