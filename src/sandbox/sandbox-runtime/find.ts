import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isJsonObject } from '../../json.ts'
import { tryReadJson } from '../../files.ts'
import type { Environment } from '../detect-environment.ts'

/** A sandbox-runtime that works on this machine. */
export interface SandboxRuntime {
  /** Absolute path of its package, without links. */
  readonly folder: string
  /** Absolute path of the module that the launcher loads. */
  readonly module: string
}

/** Where sandbox-runtime is looked for. */
export interface RuntimePlace {
  readonly environment: Environment
  /** Absolute path of the user's project. */
  readonly root: string
}

/** Finds the optional package as engines are found: `AGENT_EVALS_ENGINES`, the project, then beside this one. */
export function findSandboxRuntime({ environment, root }: RuntimePlace): SandboxRuntime | null {
  const engines = environment['AGENT_EVALS_ENGINES']
  const folders = [
    ...(engines === undefined || engines === '' ? [] : [join(resolve(root, engines), 'node_modules')]),
    ...modulesAbove(join(root, 'package.json')),
    ...modulesAbove(fileURLToPath(import.meta.url)),
  ]
  const found = folders.map((folder) => join(folder, SANDBOX_RUNTIME)).find(isPackage)
  if (found === undefined) return null

  // Its programs are started by the paths that it sees itself at, which a package manager may reach by links.
  const folder = realpathSync(found)
  return { folder, module: join(folder, readMain(folder)) }
}

/** Name of the optional package. */
export const SANDBOX_RUNTIME = '@anthropic-ai/sandbox-runtime'

function modulesAbove(file: string): readonly string[] {
  return createRequire(file).resolve.paths(SANDBOX_RUNTIME) ?? []
}

function isPackage(folder: string): boolean {
  return existsSync(join(folder, 'package.json'))
}

function readMain(folder: string): string {
  // Loading it reports what is wrong with it.
  const manifest = tryReadJson(join(folder, 'package.json'))
  return isJsonObject(manifest) && typeof manifest['main'] === 'string' ? manifest['main'] : 'dist/index.js'
}
