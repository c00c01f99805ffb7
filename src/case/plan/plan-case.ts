import { DEFAULT_ENGINE } from '../../engines/default-engine.ts'
import { hashCase, type AskedCase } from './hash-case.ts'
import { nearest, type RunSettings } from '../../settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { PlannedCase } from '../../results/result.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** What is planned for a case before it runs; the same in the main process and in a worker. */
export function planCase(
  suite: Parameters<typeof identifyCase>[0],
  evalCase: AskedCase & Parameters<typeof identifyCase>[1],
  settings: Pick<RunSettings, 'engine' | 'root'>,
): PlannedCase {
  return { ...identifyCase(suite, evalCase, settings), asked: hashCase(evalCase) }
}

/** The same without what the case asks, whose hashes take a moment. */
export function identifyCase(
  suite: Pick<Suite, 'config' | 'file' | 'format' | 'packageRoot'>,
  evalCase: Pick<EvalCase, 'arm' | 'at' | 'category' | 'engine' | 'id' | 'name' | 'sharesLine' | 'tags' | 'target'>,
  settings: Pick<RunSettings, 'engine' | 'root'>,
): Omit<PlannedCase, 'asked'> {
  const path = pathFrom(suite.packageRoot, suite.file)
  return {
    id: `${path}#${evalCase.id}${evalCase.arm === undefined ? '' : `@${evalCase.arm}`}`,
    name: evalCase.name,
    ...(evalCase.arm === undefined ? {} : { arm: evalCase.arm }),
    suite: path,
    format: suite.format,
    file: pathFrom(settings.root, suite.file),
    at: evalCase.at,
    ...(evalCase.sharesLine === undefined ? {} : { sharesLine: evalCase.sharesLine }),
    target: evalCase.target === null ? null : `${evalCase.target.kind}:${evalCase.target.name}`,
    category: evalCase.category,
    tags: evalCase.tags,
    packageRoot: suite.packageRoot,
    engineName: evalCase.engine ?? nearest(settings.engine, suite.config.engine, DEFAULT_ENGINE),
  }
}

/** A case of which nothing is known yet but where it stands. */
export const NOTHING_ASKED = {
  kind: 'task',
  target: null,
  category: null,
  tags: [],
  prompt: '',
  checks: [],
  criteria: null,
  files: [],
  workspaceFiles: [],
} as const
