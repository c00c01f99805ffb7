import type { TestProject } from 'vitest/node'
import type { ResolvedOptions } from '../../options/options.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

/** Declares the tags of all cases: those that no configuration declares are errors for Vitest. */
export async function declareTags(
  project: TestProject,
  suites: readonly string[],
  store: SuiteStore,
  { environment, option }: ResolvedOptions['engineMatrix'],
): Promise<void> {
  const declared = (project.config.tags ??= [])
  const names = new Set(declared.map((tag) => tag.name))
  const declare = (tag: string): void => {
    if (!names.has(tag)) declared.push({ name: tag })
    names.add(tag)
  }
  const loaded = await Promise.all(suites.map((file) => store.load(file)))
  loaded.flatMap(({ cases }) => cases.flatMap(({ tags }) => tags)).forEach(declare)
  // Tests in TypeScript are not known yet.
  for (const engine of [...(environment ?? []), ...(option ?? [])]) declare(engine)
}
