import type { TestContext } from 'vitest'
import type { TriggerPart } from '../../results/trigger-part.ts'

/** Notes the runs that a rate leaves out on their test: a JUnit file has no other place for them where it passed. */
export async function noteUndecided(
  { annotate }: Pick<TestContext, 'annotate'>,
  { runs, undecided }: Pick<TriggerPart, 'runs' | 'undecided'>,
): Promise<void> {
  if (undecided === undefined) return
  await annotate(`${undecided} of ${runs} runs are undecided and not in the rate`, 'undecided')
}
