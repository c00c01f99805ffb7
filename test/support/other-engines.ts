import { dirname } from 'node:path'
import { install } from './majors.ts'

/** Versions of Codex that the tests install. The first is the one that most of them run. */
export const CODEX_VERSIONS = ['0.169.0', '0.163.0'] as const

/** Installs Codex once, outside the repository's `node_modules`: the value of `AGENT_EVALS_ENGINES` that finds it. */
export async function codexFolder(version: (typeof CODEX_VERSIONS)[number] = CODEX_VERSIONS[0]): Promise<string> {
  return dirname(await install(`codex-${version}`, { '@openai/codex': version }))
}
