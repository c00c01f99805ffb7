import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { loadCasePlugin, loadPackage } from '../../../src/packages/load-package.ts'
import { packageRootOf } from '../../../src/packages/package-root.ts'
import { skill, writeLayout, type Layout } from '../../support/layouts/layout.ts'
import { PLUGINS } from '../../support/layouts/plugins.ts'
import { PROJECTS } from '../../support/layouts/projects.ts'
import { PARTS } from '../../support/layouts/skills.ts'

/** What we read of a layout, in the words of its row; without what only a session says. */
async function namesRead({ as, name, stands = '', files }: Layout): Promise<readonly string[]> {
  await using outside = await createFixture({ 'link-out/SKILL.md': skill('link-out') })
  await using fixture = await createFixture({ '.git/HEAD': '' })
  await writeLayout(fixture.path, files, outside.path)
  const load = as === 'plugin' ? loadCasePlugin : loadPackage
  const root = fixture.path.replace(/\/$/, '')
  const pkg = await load(packageRootOf(join(root, stands, 'evals/cases/x.yaml'), root))
  const names = [
    ...pkg.skills.filter(({ hiddenFrom }) => hiddenFrom !== 'user').map((one) => `/${one.name}`),
    ...pkg.commands.map((one) => `/${one.name.replace(`${name}:`, '')}`),
    ...pkg.agents.map((one) => `agent ${one.name}`),
    ...pkg.mcpServers.map((one) => `server ${one.name}`),
  ]
  return [...new Set(names)].toSorted()
}

test.for([...PARTS, ...PROJECTS, ...PLUGINS].map((layout) => [layout.name, layout] as const))(
  '%s is read as the CLI does, or the row says why not',
  async ([name, layout]) => {
    const { installs, loads, differs } = layout
    const ofCli = loads
      .filter((one) => !/^(?:says|skill) /.test(one))
      .map((one) => (installs === undefined ? one : one.replace(`${name}:`, '')))
    const ours = await namesRead(layout)
    if (differs === undefined) expect(ours).toEqual(ofCli.toSorted())
    // What the model is told is seen in sessions only.
    else if (ofCli.length + ours.length > 0) expect(ours).not.toEqual(ofCli.toSorted())
  },
)
