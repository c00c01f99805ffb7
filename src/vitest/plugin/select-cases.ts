import { pathBelow } from '../../packages/package-root.ts'
import { isSelected, type SuiteStore, type Wanted } from '../modules/suite-store.ts'
import { compareTexts } from '../../texts.ts'
import type { Shard } from '../../settings.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** What decides which cases take part, apart from Vitest's own filters. */
export interface CaseChoice extends Wanted {
  readonly shard: Shard | null
}

/** Answers which cases of a suite take part. */
export interface CaseSelection {
  of(suite: Suite): Promise<readonly EvalCase[]>
}

/**
 * Chooses the cases of the target, and of these the ones of this shard.
 *
 * Shards are cut by case: one after the other in the order of files and lines, so that they are of one size and every
 * machine of the same checkout cuts alike.
 */
export function createSelection(
  store: Pick<SuiteStore, 'find' | 'load' | 'root'>,
  { shard, ...wanted }: CaseChoice,
): CaseSelection {
  // Cut once: a later look at hundreds of files for each of them would cost more than it could find.
  let cut: Promise<ReadonlySet<string>> | undefined
  return {
    async of(suite) {
      const cases = suite.cases.filter((evalCase) => isSelected(evalCase, wanted))
      if (shard === null) return cases
      cut ??= findOthers(store, wanted, shard)
      const others = await cut
      return cases.filter((evalCase) => !others.has(keyOf(suite, evalCase)))
    },
  }
}

/** The items of a list that are in a shard. */
export function cutShard<T>(items: readonly T[], { index, count }: Shard): readonly T[] {
  return items.filter((_, position) => position % count === index - 1)
}

async function findOthers(
  store: Pick<SuiteStore, 'find' | 'load' | 'root'>,
  wanted: Wanted,
  shard: Shard,
): Promise<ReadonlySet<string>> {
  const suites = await Promise.all((await store.find()).map((file) => store.load(file)))
  const keys = suites
    .toSorted((a, b) => compareTexts(pathOf(store.root, a), pathOf(store.root, b)))
    .flatMap((suite) =>
      suite.cases
        .filter((evalCase) => isSelected(evalCase, wanted))
        .toSorted((a, b) => a.at.line - b.at.line || compareTexts(a.id, b.id))
        .map((evalCase) => keyOf(suite, evalCase)),
    )
  const mine = new Set(cutShard([...new Set(keys)], shard))
  return new Set(keys.filter((key) => !mine.has(key)))
}

function keyOf({ file }: Pick<Suite, 'file'>, { id }: Pick<EvalCase, 'id'>): string {
  return `${file}\0${id}`
}

function pathOf(root: string, { file }: Suite): string {
  return pathBelow(root, file) ?? file
}
