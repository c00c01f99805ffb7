import type { PageDetail, PageOverview } from '../report/page/page-data.ts'

/** Reads the block that the overview is made of. */
export function readOverview(): Promise<PageOverview> {
  return read<PageOverview>('overview')
}

/** Reads everything about one case. The last few stay in memory, so that going back is quick and nothing piles up. */
export async function readDetail(key: string): Promise<PageDetail> {
  const known = recent.get(key)
  if (known !== undefined) return known
  // The blocks come after the script, and a link may lead to a case whose block is not there yet.
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }))
  const detail = read<PageDetail>(`case-${key}`)
  recent.set(key, detail)
  for (const oldest of recent.keys()) {
    if (recent.size <= KEPT) break
    recent.delete(oldest)
  }
  return detail
}

const recent = new Map<string, Promise<PageDetail>>()
const KEPT = 8

async function read<T>(id: string): Promise<T> {
  const block = document.getElementById(id)
  const text = block instanceof HTMLTemplateElement ? block.content.textContent : ''
  if (text === '') throw new Error('This part of the report is missing from the file.')
  const plain = new Blob([decode(text)]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return (await new Response(plain).json()) as T
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
