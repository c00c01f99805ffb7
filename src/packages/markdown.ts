import { readFrontMatter, type FrontMatter } from '../documents/front-matter.ts'
import type { Disk } from '../documents/disk.ts'
import type { Issue } from '../documents/issue.ts'

/** Bytes; instructions for a model that are longer than this are not read by any. */
const MAX_MARKDOWN_BYTES = 1024 * 1024

/** Reads a Markdown file and takes it apart; `null` with the reason when it cannot be read. */
export async function readMarkdown(
  file: string,
  disk: Disk,
): Promise<{ readonly markdown: FrontMatter | null; readonly issues: readonly Issue[] }> {
  const { text, issue } = await disk.readText(file, MAX_MARKDOWN_BYTES)
  if (issue !== null) return { markdown: null, issues: [issue] }
  const markdown = readFrontMatter(text, file)
  return { markdown, issues: markdown.issues }
}
