import { pathFrom } from '../../packages/package-root.ts'
import { remarkOnOverlay } from '../../inputs/overlay-remarks.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../../suites/suite.ts'

/** What is odd about the overlays of a suite, reported at the first case that has them. */
export async function findOverlayIssues({ cases, file, packageRoot }: Suite): Promise<readonly Issue[]> {
  const owners = new Map(cases.toReversed().flatMap((one) => (one.overlays ?? []).map((dir) => [dir, one] as const)))
  const found = await Promise.all(
    [...owners].map(async ([overlay, { at }]): Promise<readonly Issue[]> => {
      const remark = await remarkOnOverlay(overlay)
      if (remark === null) return []
      const message = `the overlay ${pathFrom(packageRoot, overlay)} ${remark}`
      return [{ code: 'odd-overlay', severity: 'warning', file, field: '', message, ...at }]
    }),
  )
  return found.flat()
}
