import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { plural } from '../format.ts'
import { useMarks, Visible } from '../text.tsx'
import { visibleLine, type Range } from '../visible-text.ts'
import type { DiffLine } from './diff-texts.ts'

/** A difference as lines with their numbers. Long stretches without a change are folded. */
export function DiffTable({
  name,
  lines,
  path,
}: {
  readonly name: string
  readonly lines: readonly DiffLine[]
  readonly path: string
}): JSX.Element {
  const after = useMarks(`${name}.after`)
  const before = useMarks(`${name}.before`)
  const [isOpen, setOpen] = useState(false)
  const isMarked = (line: DiffLine): boolean => marksOf(line, before, after).length > 0
  const isShown = lines.map(
    (_, index) =>
      isOpen ||
      lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((one) => one.kind !== 'same' || isMarked(one)),
  )
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Changes of ${visibleLine(path)}`}>
      <table class="diff">
        <tbody>
          {lines.map((line, index) =>
            isShown[index] === true ? (
              <tr class={line.kind}>
                <td class="number">{line.before}</td>
                <td class="number">{line.after}</td>
                <td class="sign">
                  <span aria-hidden="true">{SIGNS[line.kind]}</span>
                  {line.kind !== 'same' && <span class="visually-hidden">{line.kind}</span>}
                </td>
                <td>
                  <code dir="auto">
                    <Visible text={line.text} marks={marksOf(line, before, after)} />
                  </code>
                </td>
              </tr>
            ) : isShown[index - 1] !== false ? (
              <tr class="fold">
                <td colSpan={4}>
                  <button type="button" onClick={() => setOpen(true)}>
                    Show {plural(lengthOfFold(isShown, index), 'unchanged line')}
                  </button>
                </td>
              </tr>
            ) : null,
          )}
        </tbody>
      </table>
    </div>
  )
}

function marksOf(
  { kind, text, beforeAt, afterAt }: DiffLine,
  before: readonly Range[],
  after: readonly Range[],
): readonly Range[] {
  const [marks, at] =
    kind === 'removed'
      ? [before, beforeAt]
      : after.length > 0
        ? [after, afterAt]
        : [kind === 'same' ? before : [], beforeAt]
  return marks
    .map(({ start, end }) => ({ start: Math.max(start - at, 0), end: Math.min(end - at, text.length) }))
    .filter(({ start, end }) => start < end)
}

function lengthOfFold(isShown: readonly boolean[], from: number): number {
  const end = isShown.indexOf(true, from)
  return (end === -1 ? isShown.length : end) - from
}

const AROUND = 3
const SIGNS = { added: '+', removed: '−', same: '' } as const
