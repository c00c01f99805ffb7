import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createProject, type TestProject } from './project.ts'
import type { FileTree } from 'fs-fixture'
import type { VitestMajor } from './majors.ts'

/** A configuration with nothing but the plugin. */
export const CONFIG = `import { agentEvals } from 'vitest-agent-evals'
import { defineConfig } from 'vitest/config'
export default defineConfig({ plugins: [agentEvals()] })
`

/** A project with the plugin, a package in its root and these files. */
export function createPackage(major: VitestMajor, files: FileTree = {}): Promise<TestProject> {
  return createProject(major, {
    'vitest.config.ts': CONFIG,
    'package.agent.json': '{"name": "sample", "version": "1.0.0"}',
    ...files,
  })
}

/** A project that holds a copy of a folder. */
export async function createCopy(major: VitestMajor, folder: string): Promise<TestProject> {
  const project = await createProject(major, { 'vitest.config.ts': CONFIG })
  await cp(folder, project.root, { recursive: true })
  return project
}

/** Path of a file of the project. */
export function at(project: TestProject, path: string): string {
  return join(project.root, path)
}

/** A test of the skill `s`. */
export function skillTest(name: string, command: string, expected = 'expected: {}\n'): string {
  return `name: ${name}\ninput:\n  command: ${JSON.stringify(command)}\n${expected}`
}
