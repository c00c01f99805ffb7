import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { FRONT_MATTER, fileOfRow, inOneLine } from '../../support/front-matter.ts'
import { load } from '../../support/package-fixture.ts'

/** Read otherwise than by the CLI, and why. */
const OTHERWISE = new Map([
  ['description: , notes', 'no YAML, and not among what Claude Code reads once more'],
  ['description: !!int "3"', 'a number for YAML; Claude Code has an agent of it'],
  ['description: D\nmetadata:\n\ta: b', 'a tab as indentation is no YAML; Claude Code 2.1.150 drops it too'],
  ['description: D\n? [a]\n: b', 'a list as a key; `[a]: b` as a value would be one as well, and is read as a text'],
  ['description: a\u0001b', 'control characters are refused in all files'],
  ['description: a\u0007b', 'control characters are refused in all files'],
  ['description: "  "', 'Claude Code has an agent with a blank description, which nothing would choose'],
])

test('skills, commands and agents of a project are what Claude Code loads', async () => {
  await using fixture = await createFixture({ '.claude': parts() })
  const pkg = await loadPackage(fixture.path)
  const shown = (all: readonly { readonly name: string; readonly description: string }[], name: string) => {
    const found = all.find((one) => one.name === name)
    return found === undefined ? null : inOneLine(found.description)
  }
  const read = FRONT_MATTER.map(([text], index) => {
    const name = `row-${index}`
    return [text, shown(pkg.skills, name), shown(pkg.commands, name), shown(pkg.agents, name)]
  })
  const loaded = FRONT_MATTER.map(([text, written, isAgent = written !== null], index) => {
    const name = `row-${index}`
    const description = inOneLine((written ?? 'Body of NAME.').replaceAll('NAME', name))
    return [text, description, description, isAgent ? description : null]
  })
  expect(read.filter(([text]) => !OTHERWISE.has(text ?? ''))).toEqual(
    loaded.filter(([text]) => !OTHERWISE.has(text ?? '')),
  )
})

function parts(): FileTree {
  const files = FRONT_MATTER.map(([text], index) => [`row-${index}`, fileOfRow(text, `row-${index}`)] as const)
  const each = (path: (name: string) => string): FileTree =>
    Object.fromEntries(files.map(([name, text]) => [path(name), text]))
  return {
    skills: each((name) => `${name}/SKILL.md`),
    commands: each((name) => `${name}.md`),
    agents: each((name) => `${name}.md`),
  }
}

test.for([
  ['disable-model-invocation: true', 'model'],
  ['disable-model-invocation: yes', 'model'],
  ['disable-model-invocation: On', 'model'],
  ['disable-model-invocation: 1', 'model'],
  ['disable-model-invocation: " True "', 'model'],
  ['disable-model-invocation: y', undefined],
  ['disable-model-invocation: false', undefined],
  ['user-invocable: false', 'user'],
  ['user-invocable: n', 'user'],
  ['user-invocable:', 'user'],
  ['user-invocable: yes', undefined],
])('"%s" hides a skill from %s', async ([line, from]) => {
  const pkg = await load({ 'skills/a/SKILL.md': `---\nname: a\ndescription: D\n${line}\n---\n` })
  expect(pkg.skills.map(({ hiddenFrom }) => hiddenFrom)).toEqual([from])
})

test('an agent of a plugin without a name or description has them from its file and plugin', async () => {
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': '{"name":"kit"}',
    'agents/plain.md': 'You check.',
    'agents/odd.md': '---\nname: odd\ndescription: - writes\n---\nYou check.',
    'agents/whole.md': '---\nname: whole\ndescription: Checks [a] [b]: all\ntools: Read\n---\nYou check.',
  })
  const pkg = await loadPackage(fixture.path)
  expect(pkg.agents.map(({ name, description, native }) => [name, description, native])).toEqual([
    ['odd', 'Agent from kit plugin', undefined],
    ['plain', 'Agent from kit plugin', undefined],
    ['whole', 'Checks [a] [b]: all', true],
  ])
})

test('values that only the second reading understands, and fields that are dropped, are warnings', async () => {
  await using fixture = await createFixture({
    '.claude/skills/hint/SKILL.md': '---\nname: hint\ndescription: D\nargument-hint: [a] [b]\n---\n',
    '.claude/skills/lost/SKILL.md': '---\nname: lost\ndescription: "Writes" notes\n---\n# Lost\n',
  })
  const pkg = await loadPackage(fixture.path)
  expect(pkg.findings.map(({ severity, code, line, message }) => [severity, code, line, message]))
    .toMatchInlineSnapshot(`
    [
      [
        "warning",
        "loose-front-matter",
        4,
        "unexpected flow-seq-start at node end; Claude Code reads the value as a text",
      ],
      [
        "warning",
        "loose-front-matter",
        3,
        "unexpected scalar at node end; so Claude Code reads no field of this front matter",
      ],
    ]
  `)
})
