import { describe } from 'vitest'
import { vitestMajors, type VitestMajor } from './majors.ts'

const majors = await vitestMajors()

/**
 * Describes tests once for each major; `$label` in the title is its name. Seven files use it, which together show that
 * everything works on the second major; its tests have the tag `major`.
 */
export function describeOnMajors(title: string, tags: readonly string[], body: (major: VitestMajor) => void): void {
  for (const [index, major] of majors.entries()) {
    const own = index === 0 ? tags : [...tags, 'major']
    describe(title.replace('$label', major.label), { tags: [...own] }, () => body(major))
  }
}
