import { DEFAULT_ENGINE } from '../../engines/default-engine.ts'
import { hashCase, type AskedCase } from './hash-case.ts'
import { nearest, type RunSettings } from '../../settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { PlannedCase } from '../../results/result.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** What is planned for a case before it runs; the same in the main process and in a worker. */
export function planCase(
  suite: Pick<Suite, 'config' | 'file' | 'format' | 'packageRoot'>,
  evalCase: AskedCase & Pick<EvalCase, 'arm' | 'at' | 'category' | 'engine' | 'id' | 'name' | 'tags' | 'target'>,
  settings: Pick<RunSettings, 'engine' | 'root'>,
): PlannedCase {
  const path = pathFrom(suite.packageRoot, suite.file)
  return {
    id: `${path}#${evalCase.id}${evalCase.arm === undefined ? '' : `@${evalCase.arm}`}`,
    name: evalCase.name,
    ...(evalCase.arm === undefined ? {} : { arm: evalCase.arm }),
    suite: path,
    format: suite.format,
    file: pathFrom(settings.root, suite.file),
    at: evalCase.at,
    target: evalCase.target === null ? null : `${evalCase.target.kind}:${evalCase.target.name}`,
    category: evalCase.category,
    tags: evalCase.tags,
    packageRoot: suite.packageRoot,
    engineName: evalCase.engine ?? nearest(settings.engine, suite.config.engine, DEFAULT_ENGINE),
    asked: hashCase(evalCase),
  }
}

/** A case of which nothing is known yet but where it stands. */
export const NOTHING_ASKED: Omit<Parameters<typeof planCase>[1], 'at' | 'id' | 'name'> = {
  target: null,
  category: null,
  tags: [],
  prompt: '',
  checks: [],
  criteria: null,
  files: [],
  workspaceFiles: [],
}
