import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { bytes, plural } from '../format.ts'
import { Inline, Text, useMarks } from '../text.tsx'
import { visibleLine } from '../visible-text.ts'
import { DiffTable } from './diff-table.tsx'
import { diffTexts } from './diff-texts.ts'
import type { PageFile } from '../../report/page/page-data.ts'

/** The files that a run created, modified and deleted. */
export function Changes({
  side,
  files,
  unreadable,
}: {
  readonly side: 'a' | 'b'
  readonly files: readonly PageFile[]
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}): JSX.Element {
  return (
    <section class="changes" aria-labelledby={`${side}-changes`}>
      <h2 id={`${side}-changes`}>
        Changed files <span class="quiet">{files.length === 0 ? 'none' : plural(files.length, 'file')}</span>
      </h2>
      {files.map((file) => (
        <File file={file} />
      ))}
      {unreadable.map(({ path, reason }) => (
        <p class="notice">
          <Inline text={`${path} ${reason}`} />
        </p>
      ))}
    </section>
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
