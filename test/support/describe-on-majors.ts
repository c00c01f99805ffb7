import { describe } from 'vitest'
import type { VitestMajor } from './majors.ts'

/** How a file's tests go about the second major. */
export interface MajorOptions {
  readonly tags?: readonly string[]
  /** Whether `npm test` runs them on every major, as one file of each feature does. @default false */
  readonly smoke?: boolean
}

/** Describes tests once for each major; `$label` in the title is its name. Only `npm run test:all` runs all of them. */
export function describeOnMajors(
  majors: readonly VitestMajor[],
  title: string,
  { tags = [], smoke = false }: MajorOptions,
  body: (major: VitestMajor) => void,
): void {
  majors.forEach((major, index) => {
    const own = index === 0 || smoke ? tags : [...tags, 'major']
    describe(title.replace('$label', major.label), { tags: [...own] }, () => body(major))
  })
}
