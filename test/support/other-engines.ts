import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { install } from './majors.ts'
import { CACHE } from './repository.ts'

/** Installs a version of Claude Code as {@link codexFolder} installs Codex. */
export async function claudeFolder(version: string): Promise<string> {
  const modules = await install(`claude-code-${version}`, {
    '@anthropic-ai/claude-code': version,
    [`@anthropic-ai/claude-code-${process.platform}-${process.arch}`]: version,
  })
  return dirname(modules)
}

/** The version of Codex that most tests run. */
export const CODEX_VERSION = '0.169.0'

/** The version of Copilot that most tests run. */
export const COPILOT_VERSION = '1.0.102'

/** Installs sandbox-runtime as {@link codexFolder} installs Codex. */
export async function sandboxRuntimeFolder(): Promise<string> {
  return dirname(await install('sandbox-runtime-0.0.83', { '@anthropic-ai/sandbox-runtime': '0.0.83' }))
}

/** Installs Codex once, outside the repository's `node_modules`: the value of `AGENT_EVALS_ENGINES` that finds it. */
export async function codexFolder(version: string = CODEX_VERSION): Promise<string> {
  return dirname(await install(`codex-${version}`, { '@openai/codex': version }))
}

/**
 * Installs Copilot, and returns the variables that find it. What it unpacks of itself, 235 MB, is kept between tests; it
 * does so beside the place and renames the whole, so that no process sees half of it. It is asked here for the first
 * time, since tests may run as somebody who may only read.
 */
export async function copilotVariables(
  version: string = COPILOT_VERSION,
): Promise<Record<'AGENT_EVALS_ENGINES' | 'XDG_CACHE_HOME', string>> {
  const modules = await install(`copilot-${version}`, { '@github/copilot': version })
  const cache = join(CACHE, 'copilot-unpacked')
  if (!(await isUnpacked(cache, version)))
    await promisify(execFile)(join(modules, '.bin/copilot'), ['--no-auto-update', '--version'], {
      env: { PATH: process.env['PATH'], HOME: cache, XDG_CACHE_HOME: cache },
    })
  return { AGENT_EVALS_ENGINES: dirname(modules), XDG_CACHE_HOME: cache }
}

async function isUnpacked(cache: string, version: string): Promise<boolean> {
  const platforms = await readdir(join(cache, 'copilot/pkg')).catch((): string[] => [])
  return platforms.some((platform) => existsSync(join(cache, 'copilot/pkg', platform, version)))
}
