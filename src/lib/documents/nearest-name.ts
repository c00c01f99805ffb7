import { join, posix } from 'node:path'
import type { TrackedFs } from './read-text.ts'

/** The known name that was probably meant, or `null` when none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  const folded = fold(name)
  let best: string | null = null
  let bestDistance = tolerance(folded) + 1
  for (const candidate of candidates) {
    const distance = editDistance(folded, fold(candidate), bestDistance)
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }

  return best ?? sameWords(name, candidates)
}

/**
 * As {@link nearestName}, else the shortest known name that has the words of this one in a row, the last one perhaps cut:
 * `dry-run` for `dry`, `claude-code` for `claud`. For what is refused anyway, since it finds more.
 */
export function similarName(name: string, candidates: Iterable<string>): string | null {
  const names = [...candidates]
  const near = nearestName(name, names)
  if (near !== null || name.length < 3) return near
  const longer = names.filter((one) => inRow(one).includes(inRow(name).slice(0, -1)))
  return longer.toSorted((a, b) => a.length - b.length)[0] ?? null
}

function inRow(name: string): string {
  return `-${wordsOf(name).join('-')}-`
}

// `pass_threshold` is `threshold_pass` to the person who typed it.
function sameWords(name: string, candidates: Iterable<string>): string | null {
  const words = wordsOf(name).toSorted().join(' ')
  return words.includes(' ')
    ? ([...candidates].find((candidate) => wordsOf(candidate).toSorted().join(' ') === words) ?? null)
    : null
}

function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_ .]+/)
}

/** ` Did you mean "x"?` with a leading space, or nothing. */
export function suggestName(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates)
  return nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}${wordForm(name, nearest)}?`
}

/** ` in Unicode form NFD`, where nothing else tells a name from the one that was written; or nothing. */
export function wordForm(written: string, name: string): string {
  if (written === name || written.normalize('NFC') !== name.normalize('NFC')) return ''
  return ` in Unicode form ${name === name.normalize('NFC') ? 'NFC' : 'NFD'}`
}

/** `. Did you mean "fixtures/x.pdf"?` for a missing file, where one beside it is called almost the same; or nothing. */
export async function suggestBeside(path: string, base: string, fs: Pick<TrackedFs, 'list'>): Promise<string> {
  const { dir, name } = posix.parse(path)
  const files = (await fs.list(join(base, dir))).map((entry) => posix.parse(entry.name))
  const near = nearestName(
    name,
    files.map((file) => file.name),
  )
  const beside = files.find((file) => file.name === near)
  if (beside === undefined) return ''
  return `. Did you mean ${JSON.stringify(posix.join(dir, beside.base))}${wordForm(name, beside.name)}?`
}

// `filesCreated`, `files_created` and `files-created` are one name to the person who typed it.
function fold(name: string): string {
  return name
    .slice(0, 100)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[-_ .]/g, '')
}

function tolerance(name: string): number {
  if (name.length < 3) return 0
  return name.length < 6 ? 1 : 2
}

// Restricted Damerau-Levenshtein: a swap of two neighbours, the commonest slip, counts once.
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let distance = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1)
      row.push(distance)
    }

    beforeLast = last
    last = row
  }

  return last[b.length] ?? limit
}
