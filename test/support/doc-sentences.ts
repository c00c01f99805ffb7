/** A sentence of a page, with the number of its words. */
export interface DocSentence {
  readonly text: string
  readonly words: number
}

/** The sentences of a Markdown text: of paragraphs, list items and cells of tables, without code. */
export function docSentences(markdown: string): readonly DocSentence[] {
  return blocksOf(markdown)
    .flatMap((block) => block.split(/(?<=[.!?])["')\]*]*\s+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z]/i.test(sentence))
    .map((text) => ({ text, words: text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length }))
}

function blocksOf(markdown: string): readonly string[] {
  const prose = markdown
    .replaceAll(/^```[\S\s]*?^```$/gm, '')
    .replaceAll(/<!--[\S\s]*?-->/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    // A command or a field is one word.
    .replaceAll(/`[^`\n]+`/g, 'code')
  const blocks: string[] = []
  for (const paragraph of prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=[|#])|(?<=\|)\n/)) {
    const text = paragraph.replace(/^\s*(?:[-*]|\d+\.|#+) /, '').replaceAll(/\s+/g, ' ')
    blocks.push(...(text.trim().startsWith('|') ? text.split('|') : [text]))
  }
  return blocks
}
