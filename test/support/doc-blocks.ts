import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from './repository.ts'

/** A code block of a page. */
export interface DocBlock {
  readonly page: string
  /** Of its first line, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** Path of the file that it is, where the line above says so. */
  readonly path: string | null
  /** Whether it shows what something printed. */
  readonly isOutput: boolean
}

/** A page for users. */
export interface DocPage {
  readonly page: string
  readonly blocks: readonly DocBlock[]
  /** What is in backticks in its text. */
  readonly spans: readonly string[]
}

/** All pages for users, with everything in them that has to be true. */
export async function docPages(): Promise<readonly DocPage[]> {
  const names = (await readdir(join(REPOSITORY, 'docs'))).filter((name) => name.endsWith('.md'))
  return Promise.all(['README.md', ...names.map((name) => `docs/${name}`)].map(readPage))
}

async function readPage(page: string): Promise<DocPage> {
  const text = await readFile(join(REPOSITORY, page), 'utf8')
  const blocks = [...text.matchAll(BLOCK)].map(({ index, groups = {} }) => ({
    page,
    line: text.slice(0, index).split('\n').length + (groups['before'] ?? '').split('\n').length,
    language: groups['language'] ?? '',
    text: groups['text'] ?? '',
    path: groups['path'] ?? null,
    isOutput: groups['output'] !== undefined,
  }))
  const spans = [...text.replaceAll(BLOCK, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return { page, blocks, spans }
}

const BLOCK =
  /^(?<before>(?:\*\*(?<path>\S+)\*\*\n\n)?(?<output><!-- BEGIN OUTPUT.*-->\n)?)```(?<language>\w*)\n(?<text>[\S\s]*?)```$/gm
