import { createFixture, type FsFixture } from 'fs-fixture'
import { knownNames } from '../../src/judges/providers/registry.ts'
import { createSuiteCache, loadSuite } from '../../src/formats/load-suite.ts'
import type { Suite } from '../../src/formats/suite.ts'

/** A package with one skill, one agent and one hook. */
export const PACKAGE: Readonly<Record<string, string>> = {
  'package.agent.json': '{"name": "sample", "version": "1.0.0"}',
  'skills/pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDFs.\n---\nRead it.\n',
  'agents/auditor/agent.yaml': 'name: auditor\ndescription: Audits.\nsystem_prompt: system-prompt.md\n',
  'agents/auditor/system-prompt.md': '---\ndescription: Audits.\n---\nAudit.\n',
  'hooks/hooks.json':
    '{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
  'evals/eval-config.json': '{"version": 1, "engine": "claude-code"}',
}

/** A case without a mistake. */
export const CASE = 'name: a\ninput:\n  prompt: Do it.\njudge:\n  criteria: It is done.\n'

/** Writes the package with this case and these further files. */
export async function createPackage(
  caseText: string | Buffer,
  files: Readonly<Record<string, string>> = {},
): Promise<FsFixture> {
  return createFixture({ ...PACKAGE, 'evals/cases/a.yaml': caseText, ...files })
}

/** The suite of {@link createPackage}'s case. */
export async function loadCase(fixture: FsFixture): Promise<Suite> {
  const cache = createSuiteCache({ names: knownNames() })
  return loadSuite(fixture.getPath('evals/cases/a.yaml'), { root: fixture.path.replace(/\/$/, ''), cache })
}

/** The issues as `line:column severity code field: message`, paths relative to the fixture. */
export function issueLines({ issues }: Pick<Suite, 'issues'>, fixture: FsFixture): readonly string[] {
  return issues.map(({ line, column, severity, code, field, message }) =>
    `${line}:${column} ${severity} ${code} ${field}: ${message}`.replaceAll(`${fixture.path.replace(/\/$/, '')}/`, ''),
  )
}

/** The issues of a case beside these files. */
export async function issuesOf(text: string, files: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  await using fixture = await createPackage(text, files)
  return issueLines(await loadCase(fixture), fixture)
}
