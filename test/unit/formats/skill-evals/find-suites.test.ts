import { truncate } from 'node:fs/promises'
import { relative } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { knownNames } from '../../../../src/judges/providers/registry.ts'
import { createSuiteCache, loadSuite } from '../../../../src/formats/load-suite.ts'
import { whyHidden } from '../../../../src/formats/paths.ts'
import { discoverSkillSuites } from '../../../../src/formats/skill-evals/find-suites.ts'
import type { SkillSearch, SkillSuites } from '../../../../src/formats/skill-evals/skill-suites.ts'
import { formatIssue } from '../../../../src/lib/documents/document.ts'

const SKILL = '---\nname: x\ndescription: d\n---\n'
const EVALS = '{ "evals": [{ "id": 1, "prompt": "p", "expectations": ["e"] }] }'
const QUERIES = '[{ "query": "q", "should_trigger": true }]'

async function discover(
  files: FileTree,
  search?: (root: string) => SkillSearch,
): Promise<Omit<SkillSuites, 'notes'> & { readonly found: readonly string[]; readonly notes: readonly string[] }> {
  await using fixture = await createFixture(files)
  const root = fixture.path.replace(/\/$/, '')
  const result = await discoverSkillSuites(root, search?.(root))
  const found = [...result.suites].map(([file, { skill }]) => {
    return `${relative(root, file)} for ${relative(root, skill.dir)} in ${relative(root, skill.projectRoot) || '.'}`
  })
  return { ...result, found, notes: result.notes.map(({ message }) => message) }
}

describe('the evals of a skill are found', () => {
  test.each([
    ['in its own folder', 'a/b/x/evals', '.'],
    ['beside the folder of the skills', 'a/evals/x', '.'],
    ['below the project', 'evals/x', '.'],
    ['deeper below the project', 'evals/some/kit/x', '.'],
    ["at the skill's root", 'a/b/x', '.'],
    ['under tests', 'a/b/x/tests', '.'],
  ])('%s', async (_, folder) => {
    const { found, notes } = await discover({
      'a/b/x/SKILL.md': SKILL,
      [`${folder}/evals.json`]: EVALS,
      [`${folder}/triggers.json`]: QUERIES,
    })
    expect(found).toEqual([`${folder}/evals.json for a/b/x in .`, `${folder}/triggers.json for a/b/x in .`])
    expect(notes).toEqual([])
  })

  test('in the first place alone, and the others are listed', async () => {
    const { found, notes, suites } = await discover({
      'skills/x/SKILL.md': SKILL,
      'skills/x/evals/evals.json': EVALS,
      'skills/x/evals/triggers.json': QUERIES,
      'evals/x/evals.json': EVALS,
    })
    expect(found).toEqual([
      'skills/x/evals/evals.json for skills/x in .',
      'skills/x/evals/triggers.json for skills/x in .',
    ])
    expect(notes).toEqual(['Evals of x are also in evals/x; only those in skills/x/evals are used.'])
    // Of several files of a skill one says so.
    expect([...suites.values()].flatMap((suite) => suite.notes)).toEqual(notes)
  })

  test('in one of two equal places, and both are listed', async () => {
    const { found, notes } = await discover({
      'skills/x/SKILL.md': SKILL,
      'evals/one/x/evals.json': EVALS,
      'evals/two/x/evals.json': EVALS,
    })
    expect(found).toEqual(['evals/one/x/evals.json for skills/x in .'])
    expect(notes).toEqual(['Evals of x are also in evals/two/x; only those in evals/one/x are used.'])
  })

  test.each(['skills/x/evals', 'evals/x', 'evals/kit/x'])('whatever skill they name in %s', async (folder) => {
    const { found, notes } = await discover({
      'skills/x/SKILL.md': SKILL,
      'skills/y/SKILL.md': SKILL.replace('x', 'y'),
      [`${folder}/evals.json`]: EVALS.replace('{', '{ "skill_name": "y", '),
      [`${folder}/triggers.json`]: QUERIES,
    })
    expect(found).toEqual([`${folder}/evals.json for skills/x in .`, `${folder}/triggers.json for skills/x in .`])
    expect(notes).toEqual([])
  })

  test.each([
    ['evals.json', 'triggers.json'],
    ['triggers.json', 'evals.json'],
  ])('by the name in %s where the place says nothing, for %s beside it too', async (naming, other) => {
    const { found, suites } = await discover({
      'a/x/SKILL.md': SKILL,
      'b/y/SKILL.md': SKILL.replace('x', 'y'),
      [`a/evals/${naming}`]: `{ "skill_name": "y", "evals": ${QUERIES} }`,
      [`a/evals/${other}`]: QUERIES,
    })
    expect(found).toEqual(['a/evals/evals.json for b/y in .', 'a/evals/triggers.json for b/y in .'])
    expect(new Set([...suites.values()].map(({ why }) => why))).toEqual(
      new Set(['which it names', `which ${naming} beside it names`]),
    )
  })

  test('by the name in evals.json where triggers.json names another one', async () => {
    const naming = (name: string): string => `{ "skill_name": "${name}", "evals": ${QUERIES} }`
    const { found } = await discover({
      'a/x/SKILL.md': SKILL,
      'a/y/SKILL.md': SKILL.replace('x', 'y'),
      'a/evals/evals.json': naming('y'),
      'a/evals/triggers.json': naming('x'),
    })
    expect(found).toEqual(['a/evals/evals.json for a/y in .', 'a/evals/triggers.json for a/y in .'])
  })

  test('by its name where only the name of the plugin or of the file says another one', async () => {
    const { found } = await discover({
      'x/skills/x/SKILL.md': SKILL,
      'x/skills/y/SKILL.md': SKILL.replace('x', 'y'),
      'x/evals/evals.json': EVALS.replace('{', '{ "skill_name": "y", '),
      'x/evals/x.json': `{ "skill_name": "y", "evals": ${QUERIES} }`,
    })
    expect(found).toEqual(['x/evals/evals.json for x/skills/y in .', 'x/evals/x.json for x/skills/y in .'])
  })

  test.each(['evals', 'evals/more'])('for a repository that is a skill and holds one other: %s', async (folder) => {
    const { found } = await discover({
      '.git/HEAD': '',
      'SKILL.md': SKILL,
      'y/SKILL.md': SKILL,
      [`${folder}/queries.json`]: QUERIES,
    })
    expect(found).toEqual([`${folder}/queries.json for  in .`])
  })

  test.each([
    ['a/x/trigger-evals/basic.json', 'a/x'],
    ['a/trigger_queries/x.json', 'a/x'],
    ['trigger-evals/x.json', 'a/x'],
    ['a/x/trigger-eval/more.yaml', 'a/x'],
  ])('in a folder that is called as a file of queries: %s', async (file, skill) => {
    const { found, notes } = await discover({
      'a/x/SKILL.md': SKILL,
      'b/y/SKILL.md': SKILL.replace('x', 'y'),
      [file]: QUERIES,
    })
    expect(found).toEqual([`${file} for ${skill} in .`])
    expect(notes).toEqual([])
  })

  test('in such a folder no file of others', async () => {
    const { found, notes } = await discover({
      'a/x/SKILL.md': SKILL,
      'b/y/SKILL.md': SKILL,
      'trigger-evals/odd.json': '[{ "query": "q", "fires": true }]',
      'c/trigger-evals/lost.json': QUERIES,
      'c/triggers/on-write.json': QUERIES,
    })
    expect(found).toEqual([])
    expect(notes).toEqual(['c/trigger-evals/lost.json matches no skill. Write "skill_name". Skills: x, y.'])
  })

  test('not among the files of a skill that is called like such a folder', async () => {
    const { found, notes } = await discover({
      'b/trigger-evals/SKILL.md': SKILL,
      'b/trigger-evals/example.json': QUERIES,
    })
    expect([...found, ...notes]).toEqual([])
  })

  test('for a skill called as the folder of overlays is, which other evals do not lay over their workspace', async () => {
    const files = {
      'skills/setup/SKILL.md': SKILL,
      'skills/y/SKILL.md': SKILL,
      'evals/setup/evals.json': EVALS,
      'evals/y.json': EVALS.replace('{', '{ "skill_name": "y", '),
      'skills/y/evals/setup/evals.json': EVALS,
    }
    expect((await discover(files)).found).toEqual([
      'evals/setup/evals.json for skills/setup in .',
      'evals/y.json for skills/y in .',
    ])
    expect(whyHidden('evals/setup/evals.json')).toBe('contains the expected answers')
    await using fixture = await createFixture(files)
    const root = fixture.path.replace(/\/$/, '')
    const { cases } = await loadSuite(`${root}/evals/y.json`, { root, cache: createSuiteCache() })
    expect(cases.map(({ overlays }) => overlays)).toEqual([[]])
  })

  test('for the nearest project, never above the root', async () => {
    const { found } = await discover({
      'kit/_bmad/config.yaml': '',
      'kit/src/x/SKILL.md': SKILL,
      'kit/evals/x/evals.json': EVALS,
      'evals/x/evals.json': EVALS,
    })
    expect(found).toEqual(['kit/evals/x/evals.json for kit/src/x in kit'])
  })

  test('for the skill that is worked on, not for an installed copy or one of an overlay', async () => {
    const { found, notes } = await discover({
      '.claude/skills/x/SKILL.md': SKILL,
      'src/deep/er/x/SKILL.md': SKILL,
      'evals/x/setup/.claude/skills/y/SKILL.md': SKILL,
      'evals/x/evals.json': EVALS,
    })
    expect(found).toEqual(['evals/x/evals.json for src/deep/er/x in .'])
    expect(notes).toEqual([])
  })

  test('under other names by what they hold', async () => {
    const { found, notes } = await discover({
      'skills/x/SKILL.md': SKILL,
      'skills/x/evals/trigger-eval.json': QUERIES,
      'skills/x/evals/cases.json': '{ "cases": [{ "id": "a", "input": "i", "rubric": ["r"] }] }',
      'skills/x/evals/eval.json': '{ "accuracy": 0.5 }',
      'lost/evals/evals.json': EVALS,
      'data/evals.json': '{ "accuracy": 0.5 }',
    })
    expect(found).toEqual([
      'skills/x/evals/cases.json for skills/x in .',
      'skills/x/evals/trigger-eval.json for skills/x in .',
    ])
    expect(notes).toEqual([
      'lost/evals/evals.json matches no skill. Write "skill_name". Skills: x.',
      'skills/x/evals/eval.json is no suite: contains no list of evals.',
    ])
  })

  test.for([
    ['lists', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['objects', '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)],
  ])('also beside a file of endless %s', async ([, deep]) => {
    const { found, notes } = await discover({
      'skills/x/SKILL.md': SKILL,
      'skills/x/evals/evals.json': EVALS,
      'skills/x/evals/deep.json': deep!,
    })
    expect(found).toEqual(['skills/x/evals/evals.json for skills/x in .'])
    expect(notes).toEqual(['skills/x/evals/deep.json is no suite: is not valid JSON.'])
  })

  test('nowhere, and it is said where was looked', async () => {
    const { found, lookedIn } = await discover({ 'skills/x/SKILL.md': SKILL })
    expect(found).toEqual([])
    expect(lookedIn).toEqual(['skills/x/evals', 'evals/x', 'skills/x', 'skills/x/tests'])
  })

  test('where the option says', async () => {
    const files = {
      'skills/x/SKILL.md': SKILL,
      'skills/y/SKILL.md': SKILL,
      'skills/x/evals/evals.json': EVALS,
      'old/x/evals.json': EVALS,
      'old/free/triggers.json': QUERIES,
    }
    const folder = await discover(files, (root) => ({ evals: `${root}/old/x`, skill: null }))
    expect(folder.found).toEqual(['old/x/evals.json for skills/x in .'])
    const file = await discover(files, (root) => ({ evals: `${root}/old/free/triggers.json`, skill: 'y' }))
    expect(file.found).toEqual(['old/free/triggers.json for skills/y in .'])
    await expect(discover(files, (root) => ({ evals: `${root}/old/free`, skill: null }))).rejects.toThrow(
      '`evals` names old/free, which matches no skill. Set it with `target`: skill:<name>. There are: x, y.',
    )
    await expect(discover(files, (root) => ({ evals: `${root}/none`, skill: null }))).rejects.toThrow(
      'which does not exist',
    )
  })
})

describe('files of an eval', () => {
  async function issuesOf(files: FileTree, named: readonly unknown[]): Promise<readonly string[]> {
    const evals = JSON.stringify([{ id: 1, prompt: 'p', expectations: ['e'], files: named }])
    await using fixture = await createFixture({
      'skills/x/SKILL.md': SKILL,
      'skills/x/evals/evals.json': evals,
      ...files,
    })
    const root = fixture.path.replace(/\/$/, '')
    const { issues, cases } = await loadSuite(`${root}/skills/x/evals/evals.json`, {
      root,
      cache: createSuiteCache({ names: knownNames() }),
    })
    const found = cases.flatMap((one) =>
      one.files.map(({ from, to, base }) => `${to} from ${relative(root, from)} (${base ?? 'nowhere'})`),
    )
    return [...found, ...issues.map((issue) => `${issue.severity} ${formatIssue(issue, `${root}/skills/x/evals`)}`)]
  }

  test('lie in the folder of the evals, else of the skill, else of the project', async () => {
    expect(
      await issuesOf({ 'skills/x/evals/a.md': 'a', 'skills/x/b.md': 'b', 'c/c.md': 'c' }, [
        'a.md',
        './b.md',
        'c/c.md',
        'c',
      ]),
    ).toEqual([
      'a.md from skills/x/evals/a.md (evals)',
      'b.md from skills/x/b.md (skill)',
      'c/c.md from c/c.md (project)',
      'c from c (project)',
    ])
  })

  test('are one file where they are the same, and a mistake where they are not', async () => {
    expect(await issuesOf({ 'skills/x/evals/a.md': 'a', 'skills/x/a.md': 'a' }, ['a.md'])).toEqual([
      'a.md from skills/x/evals/a.md (evals)',
    ])
    expect(await issuesOf({ 'skills/x/evals/a.md': 'a', 'a.md': 'b' }, ['a.md'])).toEqual([
      'error evals.json:1:53 0.files.0: a.md is ambiguous: below the folder of the evals and below the project are different files; rename one',
    ])
  })

  test('are not read to be compared where they are large', async () => {
    await using fixture = await createFixture({
      'skills/x/SKILL.md': SKILL,
      'skills/x/evals/evals.json': JSON.stringify([{ id: 1, prompt: 'p', expectations: ['e'], files: ['a.bin'] }]),
      'skills/x/evals/a.bin': '',
      'a.bin': '',
    })
    const root = fixture.path.replace(/\/$/, '')
    for (const file of ['skills/x/evals/a.bin', 'a.bin']) await truncate(`${root}/${file}`, 3 * 1024 ** 3)
    const cache = createSuiteCache({ names: knownNames() })
    const { issues } = await loadSuite(`${root}/skills/x/evals/evals.json`, { root, cache })
    expect(issues.map(({ code }) => code)).toContain('ambiguous-file')
  })

  test('are refused where they are missing, or would show the answers or configure the agent', async () => {
    expect(await issuesOf({}, ['gone.md', 'evals.json', 'skills/x/evals'])).toEqual([
      'error evals.json:1:53 0.files.0: gone.md does not exist: neither below the folder of the evals nor below the skill\'s folder nor below the project. If the agent is to write it, name it in "artifacts"',
      'error evals.json:1:63 0.files.1: evals.json would show the agent evals.json, which contains the expected answers',
      'error evals.json:1:76 0.files.2: skills/x/evals would show the agent evals.json, which contains the expected answers',
    ])
    expect(await issuesOf({}, [{ path: '.claude/settings.json', content: '{}' }])).toEqual([
      'error evals.json:1:53 0.files.0: .claude/settings.json configures the agent; move it to the overlay setup/',
    ])
  })
})

test('the overlay of an eval comes after that of all evals, and no other eval gets it', async () => {
  const entry = { prompt: 'p', expectations: ['e'] }
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': JSON.stringify([
      { id: 'A1', ...entry },
      { id: 'B1', ...entry },
    ]),
    'skills/x/evals/setup/a.md': 'a',
    'skills/x/evals/A1/setup/a.md': 'b',
  })
  const root = fixture.path.replace(/\/$/, '')
  const { cases } = await loadSuite(`${root}/skills/x/evals/evals.json`, { root, cache: createSuiteCache() })
  expect(cases.map(({ id, overlays = [] }) => [id, ...overlays.map((path) => relative(root, path))])).toEqual([
    ['A1', 'skills/x/evals/setup', 'skills/x/evals/A1/setup'],
    ['B1', 'skills/x/evals/setup'],
  ])
})
