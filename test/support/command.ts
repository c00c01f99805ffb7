import { startProcess } from './running-process.ts'
import { REPOSITORY } from './repository.ts'

/** What a command of the repository printed; throws with its output when it failed. */
export async function outputOf(
  program: string,
  args: readonly string[],
  options: { cwd?: string } = {},
): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, npm_config_ignore_scripts: 'true' }
  const finished = await startProcess(program, args, { cwd: options.cwd ?? REPOSITORY, env }).finished
  if (finished.exitCode === 0) return finished.stdout
  throw new Error(`${program} ${args.join(' ')} exited with ${finished.exitCode ?? finished.signal}\n${finished.all}`)
}
