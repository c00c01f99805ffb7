import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { PageFile } from '../../report/page/page-data.ts'
import { Card } from '../card.tsx'
import { bytes } from '../format.ts'
import { plural } from '../../lib/text.ts'
import { diffTexts, type DiffLine } from '../../lib/text-diff.ts'
import { Inline, Line, Text, Visible, useMarks, visibleLine, type Range } from '../text.tsx'

/** The files that a run created, modified and deleted. */
export function Changes({
  files,
  unreadable,
}: {
  readonly files: readonly PageFile[]
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}): JSX.Element {
  return (
    <Card title="Changed files" label="Changed files" note={files.length === 0 ? 'none' : plural(files.length, 'file')}>
      {files.map((file) => (
        <File file={file} />
      ))}
      {unreadable.map(({ path, reason }) => (
        <Line class="notice" text={`${path} ${reason}`} />
      ))}
    </Card>
  )
}

function File({ file }: { readonly file: PageFile }): JSX.Element {
  const { path, change, size, before, after, image, note } = file
  const diff = useMemo(() => (before === null || after === null ? null : diffTexts(before, after)), [before, after])
  const name = `f:${path}`
  return (
    <article class={`file ${change}`}>
      <header>
        <h3>
          <span class={`chip ${change}`}>{SIGNS[change]}</span>
          <Label file={file} />
        </h3>
        <span class="where">
          {size === null ? 'deleted' : bytes(size)}
          {diff !== null && ` · +${diff.added} −${diff.removed}`}
        </span>
      </header>
      {image !== null && <img src={image} alt={`Content of ${visibleLine(path)} after the run`} />}
      {diff !== null && <DiffTable name={name} lines={diff.lines} path={path} />}
      {diff === null && after !== null && <Text name={`${name}.after`} text={after} lines={20} />}
      {diff === null && before !== null && after === null && <Text name={`${name}.before`} text={before} lines={20} />}
      {note !== null && <p class="quiet">{note}</p>}
    </article>
  )
}

// A judge is shown a file as one line and may quote that; a reader has its parts beside each other.
function Label({ file: { path, change, size } }: { readonly file: PageFile }): JSX.Element {
  const name = `f:${path}.label`
  if (useMarks(name).length === 0) return <Inline text={path} />
  return <Inline name={name} text={`file ${change}: ${path}${size === null ? '' : ` (${size} bytes)`}`} />
}

const SIGNS = { created: '+ created', modified: '± modified', deleted: '− deleted' } as const

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
                  <span aria-hidden="true">{LINE_SIGNS[line.kind]}</span>
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
const LINE_SIGNS = { added: '+', removed: '−', same: '' } as const
