import { pathBelow } from './package-root.ts'
import type { Issue, Position } from './issue.ts'

/** What of a suite names its cases. */
export interface NamedSuite {
  readonly format: string
  readonly file: string
  readonly packageRoot: string
  /** Absolute path of the part among whose tests a name is unique; without it the package's. */
  readonly partDir?: string
  readonly cases: readonly NamedCase[]
}

interface NamedCase {
  readonly id: string
  readonly at: Position
}

/**
 * Errors for cases that share a name in one package: reports, recordings and reruns know a case by its name.
 * One at each place, naming the others.
 */
export function findDuplicateNames(suites: readonly NamedSuite[]): readonly Issue[] {
  const groups = new Map<string, Place[]>()
  for (const suite of suites) {
    for (const evalCase of suite.cases) {
      const key = JSON.stringify([suite.format, suite.partDir ?? suite.packageRoot, evalCase.id])
      const group = groups.get(key) ?? []
      group.push({ suite, evalCase })
      groups.set(key, group)
    }
  }

  return [...groups.values()]
    .filter((group) => group.length > 1)
    .flatMap((group) => group.map((place) => wordDuplicate(place, group)))
}

interface Place {
  readonly suite: NamedSuite
  readonly evalCase: NamedCase
}

function wordDuplicate(place: Place, group: readonly Place[]): Issue {
  const { suite, evalCase } = place
  const others = group.filter((other) => other !== place).map(wordPlace)
  return {
    code: 'duplicate-name',
    severity: 'error',
    file: suite.file,
    field: 'name',
    message: `${JSON.stringify(evalCase.id)} is also the name of the case at ${others.join(', ')}; rename one`,
    ...evalCase.at,
  }
}

function wordPlace({ suite, evalCase }: Place): string {
  const file = pathBelow(suite.packageRoot, suite.file) ?? suite.file
  return `${file}:${evalCase.at.line}:${evalCase.at.column}`
}
