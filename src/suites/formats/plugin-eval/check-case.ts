import { relative, sep } from 'node:path'
import { issueAt, type MergedCase } from './merged-case.ts'
import type { TrackedFs } from '../../../documents/tracked-fs.ts'
import type { FieldPath } from '../../../documents/document.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { CasePath, PluginEvalCase } from './model.ts'

/** What of a case can only be wrong once it is run: paths that lead elsewhere or to nothing, variables that are refused. */
export function checkCase(
  { caseDir, context, execution }: PluginEvalCase,
  merged: MergedCase,
  fs: TrackedFs,
): readonly Issue[] {
  const check = (path: CasePath | null, field: FieldPath, kind: 'file' | 'folder'): readonly Issue[] => {
    const problem = path === null ? null : findProblem(path, caseDir, kind, fs)
    return problem === null ? [] : [issueAt(merged.placeOf(['context', ...field]), problem.code, problem.message)]
  }
  return [
    // Whether the script is there matters only to those who run it.
    ...check(context.scaffold, ['scaffold_script'], 'file').map((issue): Issue => ({ ...issue, severity: 'warning' })),
    ...check(context.history, ['history_file'], 'file'),
    ...context.addDirs.flatMap((path, index) => check(path, ['add_dirs', index], 'folder')),
    ...Object.keys(execution.env)
      .filter((name) => !/^EVAL_[A-Z0-9_]*$/.test(name))
      .map((name) =>
        issueAt(
          merged.keyPlaceOf(['execution', 'env', name]),
          'invalid-variable',
          `a case may only set variables whose names begin with EVAL_; set ${name} in the environment of the run`,
        ),
      ),
  ]
}

/** Why a path of a case cannot be used; `null` when it can. Every step is looked at, so that no link leads out. */
export function findProblem(
  { path, file }: CasePath,
  caseDir: string,
  kind: 'file' | 'folder',
  fs: Pick<TrackedFs, 'look'>,
): { readonly code: string; readonly message: string } | null {
  const below = relative(caseDir, file)
  if (below === '' || below.startsWith('..') || path.startsWith('/'))
    return { code: 'unsafe-path', message: `${path} leads out of the folder of the case` }
  const steps = below.split(sep)
  for (const [index] of steps.entries()) {
    const current = [caseDir, ...steps.slice(0, index + 1)].join(sep)
    const stats = fs.look(current)
    if (stats === null) return { code: 'file-missing', message: `${path} does not exist in the folder of the case` }
    if (stats.isSymbolicLink()) return { code: 'unsafe-path', message: `${path} is behind a symbolic link` }
  }
  const stats = fs.look(file)
  const isKind = kind === 'file' ? stats?.isFile() : stats?.isDirectory()
  return isKind === true ? null : { code: 'not-a-file', message: `${path} is not a ${kind}` }
}
