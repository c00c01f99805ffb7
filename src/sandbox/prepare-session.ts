import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeWritablePaths } from './writable-paths.ts'
import type { SandboxRequest } from './sandbox.ts'

/** Makes the folders of a session and those that it may write: the same ones in every sandbox, and without one. */
export function prepareSession(request: SandboxRequest): SandboxRequest {
  const { root, writablePaths } = request
  for (const name of FOLDERS) mkdirSync(join(root, name), { recursive: true })
  if (writablePaths === null) return request
  return { ...request, writablePaths: makeWritablePaths(join(root, 'workspace'), writablePaths) }
}

const FOLDERS = ['workspace', 'home', 'config', 'tmp', 'hooks', 'package']
