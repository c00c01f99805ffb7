import type { AgentRun } from './agent-run.ts'

/**
 * Whether an output says nothing at all. Such outputs are known to be judged good (arXiv 2507.08794), so no judge is
 * asked about them: blank, only punctuation or invisible characters, or an opening without anything behind it.
 */
export function saysNothing(output: string): boolean {
  const words = output
    .slice(0, LONGEST)
    .replaceAll(/[\s\p{P}\p{Sc}\p{Sk}\p{Sm}\p{C}\p{Z}]+/gu, ' ')
    .trim()
  return output.length <= LONGEST && (words === '' || OPENING.test(words))
}

const LONGEST = 200

const OPENING =
  /^(?:thought process|reasoning|analysis|thinking|solution|answer|final answer|output|result|response|let s think step by step|let s solve this problem step by step|解|解答|かいせつ|respuesta|réponse|antwort|ответ)$/iu

/** Whether a run left anything in files that can be judged without its words. */
export function hasChangedFiles({ files: { created, modified, deleted } }: Pick<AgentRun, 'files'>): boolean {
  return created.length + modified.length + deleted.length > 0
}
