import { inflateRawSync } from 'node:zlib'
import type { PageDetail, PageOverview } from '../../src/report/page/page-data.ts'

/** The data of a written page. */
export interface WrittenPage {
  readonly overview: PageOverview
  /** What it holds of each case, by the case's name. */
  readonly details: Readonly<Record<string, PageDetail>>
}

/** Reads the data out of a page, as its own script does. */
export function readPageBlocks(html: string): WrittenPage {
  const blocks = new Map(
    [...html.matchAll(/<template id="([^"]+)">([^<]*)<\/template>/g)].map(
      ([, id = '', data = '']) =>
        [id, JSON.parse(inflateRawSync(Buffer.from(data, 'base64')).toString()) as unknown] as const,
    ),
  )
  const overview = blocks.get('overview') as PageOverview
  const details = overview.rows.map(({ key, name }) => [name, blocks.get(`case-${key}`) as PageDetail] as const)
  return { overview, details: Object.fromEntries(details) }
}
