import type { TestModule, TestProject } from 'vitest/node'

/** What a dry run found, one line for each selected case: its place, its name, and what would become of it. */
export function formatDryRun(modules: readonly TestModule[], project: TestProject): readonly string[] {
  return modules
    .filter((module) => module.project === project)
    .flatMap((module) => [...module.children.allTests()])
    .flatMap((test) => {
      const result = test.result()
      if (result.state !== 'skipped' || result.note === undefined) return []
      return [`${test.module.relativeModuleId}:${test.location?.line ?? 1}  ${test.name}  ${result.note}`]
    })
    .toSorted()
}
