import { posix } from 'node:path'
import { createGraderFile } from '../../graders/grader-file.ts'
import { readWorkspaceFile } from '../../workspace/read-file.ts'
import type { TargetFile } from '../../graders/graded-run.ts'
import type { Grader } from '../../suites/formats/plugin-eval/model.ts'

/** Reads the files of a workspace that graders name, before it is removed. */
export async function readTargetFiles(
  graders: readonly Grader[],
  root: string,
): Promise<ReadonlyMap<string, TargetFile>> {
  const paths = graders.flatMap((grader) => {
    const target = grader.type === 'regex' ? grader.target : grader.type === 'llm' ? grader.focus : null
    return target?.kind === 'file' ? [target.path] : []
  })
  const files = new Map<string, TargetFile>()
  for (const path of new Set(paths))
    // `a/../b.txt` is `b.txt`, as `claude plugin eval` has it; what is outside after that is refused.
    files.set(path, createGraderFile(path, await readWorkspaceFile(root, posix.normalize(path), MAX_BYTES)))
  return files
}

const MAX_BYTES = 8 * 1024 * 1024
