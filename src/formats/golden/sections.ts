import { basename, dirname } from 'node:path'
import { warningAt, type Issue, type Position, type ReadDocument } from '../../lib/documents/document.ts'

/** A part of a Markdown text below a heading of the second level. */
export interface Section {
  /** Without the marks. */
  readonly heading: string
  /** Without the blank lines around it. */
  readonly text: string
  /** Line of the file that the heading is on. */
  readonly line: number
  /** Line of the file that `text` starts on. */
  readonly textLine: number
}

/** Splits a Markdown text at its `## ` headings. What stands in a code fence is no heading. */
export function splitSections(body: string, firstLine: number): readonly Section[] {
  const sections: { heading: string; line: number; lines: string[] }[] = []
  let fence: string | null = null
  for (const [index, line] of body.split(/\r?\n/).entries()) {
    const mark = FENCE.exec(line)?.[1]
    const heading = fence === null ? headingOf(line) : undefined
    if (heading !== undefined) {
      sections.push({ heading, line: firstLine + index, lines: [] })
      continue
    }
    if (fence === null) fence = mark ?? null
    else if (mark !== undefined && closes(line, mark, fence)) fence = null
    sections.at(-1)?.lines.push(line)
  }
  return sections.map(toSection)
}

/** The first section whose heading begins with a word or words; headings may say more, such as `(vault state …)`. */
export function findSection(sections: readonly Section[], name: RegExp): Section | null {
  return sections.find(({ heading }) => name.test(heading)) ?? null
}

/** Where a section's text starts. */
export function textPosition(section: Section): Position {
  return { line: section.textLine, column: 1 }
}

// A heading may be closed by the marks that open it.
function headingOf(line: string): string | undefined {
  return /^##[ \t]+(.*)$/
    .exec(line)?.[1]
    ?.trimEnd()
    .replace(/(?<!#)#+$/, '')
    .trimEnd()
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/

// A fence ends with at least as many of its own marks and nothing else on the line.
function closes(line: string, mark: string, fence: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark
}

// A rule between sections is part of none of them.
function toSection({ heading, line, lines }: { heading: string; line: number; lines: string[] }): Section {
  const first = lines.findIndex((one) => one.trim() !== '')
  const last = lines.findLastIndex((one) => one.trim() !== '' && !/^ {0,3}-{3,}[ \t]*$/.test(one))
  const text = first === -1 ? '' : lines.slice(first, last + 1).join('\n')
  return { heading, text, line, textLine: line + 1 + Math.max(first, 0) }
}

/** A remark where a file of an agent names another one than its folder does. */
export function checkAgentName(named: string | undefined, document: ReadDocument, folder: string): readonly Issue[] {
  if (named === undefined || named === folder) return []
  return [warningAt(document, ['agent'], 'agent-differs', `differs from the agent's folder ${JSON.stringify(folder)}`)]
}

/** Name of the agent whose `evals/` has a file. */
export function agentOfFile(file: string): string {
  return basename(dirname(dirname(file)))
}
