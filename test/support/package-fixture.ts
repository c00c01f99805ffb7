import { createFixture } from 'fs-fixture'
import { loadPackage } from '../../src/packages/load-package.ts'
import type { AgentPackage } from '../../src/packages/package.ts'

/** The least a manifest says. */
export const MANIFEST = '{"name": "sample", "version": "1.0.0"}'

/** Loads a package of these files; its root reads `/p`. */
export const load = async (files: Readonly<Record<string, string>>): Promise<AgentPackage> => {
  await using fixture = await createFixture({ 'package.agent.json': MANIFEST, '.git/HEAD': '', ...files })
  const root = fixture.path.replace(/\/$/, '')
  return JSON.parse(JSON.stringify(await loadPackage(root)).replaceAll(root, '/p')) as AgentPackage
}

/** Its findings in one line each. */
export const findings = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await load(files)).findings.map(
    ({ file, line, column, severity, code, field, message, part }) =>
      `${file.slice(3)}:${line}:${column} ${severity} ${code} [${part === null ? '' : `${part.kind}:${part.name}`}] ${field}: ${message}`,
  )
