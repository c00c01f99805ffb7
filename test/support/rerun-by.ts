import type { RunningProcess } from './running-process.ts'

/** The names of the tests that a change makes Vitest run again, in the order in which they ended. */
export async function rerunBy(watching: RunningProcess, change: () => Promise<unknown>): Promise<readonly string[]> {
  const before = watching.output().length
  await change()
  await watching.waitFor(/RERUN[^]+for file changes/)
  const lines = watching.output().slice(before).split('\n')
  return lines.flatMap(
    (line) =>
      /^ [✓×] \|evals\| \S+ > (.+?)(?: \d+ms)?$|^ ↓ \|evals\| \S+ > (.+?) (?:\d+ms )?\[.*\]$/
        .exec(line)
        ?.slice(1)
        .filter((name) => name !== undefined) ?? [],
  )
}
