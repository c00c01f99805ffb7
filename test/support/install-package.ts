import { createFixture, type FileTree } from 'fs-fixture'
import { loadPackage } from '../../src/packages/load-package.ts'
import type { InstallRequest, Installation } from '../../src/engines/engine.ts'

/** Where a session has its folders in these tests. */
export const PATHS: InstallRequest['paths'] = {
  workspace: '/w/workspace',
  home: '/w/home',
  config: '/w/config',
  tmp: '/w/tmp',
  packageRoot: '/w/package',
  node: '/opt/my node',
  shim: '/opt/shim.js',
  hooks: '/w/hooks',
}

/** What an engine's `install` makes of the package in a folder, which is `<root>` in the result. */
export async function installPackage(
  install: (request: InstallRequest) => Installation,
  root: string,
  more: Partial<InstallRequest> = {},
): Promise<Installation> {
  const pkg = await loadPackage(root)
  const request = {
    package: pkg,
    target: null,
    skills: pkg.skills.map(({ name }) => name),
    paths: PATHS,
    environment: {},
    network: true,
    ...more,
  }
  return JSON.parse(JSON.stringify(install(request)).replaceAll(root, '<root>')) as Installation
}

/** The same of files that are written for it. */
export async function installTree(
  install: (request: InstallRequest) => Installation,
  tree: FileTree,
  more: Partial<InstallRequest> = {},
): Promise<Installation> {
  await using fixture = await createFixture(tree)
  return installPackage(install, fixture.path.replace(/\/$/, ''), more)
}
