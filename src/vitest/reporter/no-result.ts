import { BASELINE } from '../../suites/with-baseline.ts'
import type { TestCase, TestModule, TestProject } from 'vitest/node'

/**
 * Says why a run that shows no failure is not green: none of its cases passed or failed. `null` when something did.
 *
 * A run that was to test other things as well, and of which no case was asked for, is not ours to judge.
 */
export function findNoResult(
  modules: readonly TestModule[],
  project: TestProject,
  wasFiltered: (test: TestCase) => boolean,
): string | null {
  const ours = modules.filter((module) => module.project === project)
  if (ours.length === 0 || ours.some((module) => module.state() === 'failed')) return null
  const all = ours.flatMap((module) => [...module.children.allTests()]).filter((test) => !wasFiltered(test))
  // How it is without the skill proves nothing of the skill, unless that was all that was asked.
  const cases = all.filter(({ name }) => !name.includes(BASELINE))
  const selected = cases.length > 0 ? cases : all
  if (selected.some(isDecided)) return null
  if (selected.length > 0) {
    const skipped = `${selected.length} ${selected.length === 1 ? 'was' : 'were'} skipped`
    return `no case passed or failed (${skipped}), failing the run${firstNote(selected)}`
  }
  return modules.some(provesSomething) ? null : 'no case was selected, failing the run'
}

function provesSomething(module: TestModule): boolean {
  return [...module.children.allTests()].some(isDecided)
}

function isDecided(test: TestCase): boolean {
  // An arm that fails without the skill is shown as skipped: a tick would read as if its case passed.
  return ['passed', 'failed'].includes(test.result().state) || test.meta().agentEvals?.outcome === 'failed'
}

function firstNote(tests: readonly TestCase[]): string {
  const notes = tests.flatMap((test) => {
    const result = test.result()
    return result.state === 'skipped' && result.note !== undefined ? [`${test.name}: ${result.note}`] : []
  })
  return notes[0] === undefined ? '' : `. ${notes[0]}`
}
