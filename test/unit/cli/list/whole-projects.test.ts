import { createFixture, type FileTree } from 'fs-fixture'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { list } from '../../../../src/cli/commands/list.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`

afterEach(() => void vi.restoreAllMocks())

async function listed(files: FileTree, ...flags: readonly string[]): Promise<string> {
  await using fixture = await createFixture(files)
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  await list.run(['--root', fixture.path, ...flags])
  vi.restoreAllMocks()
  return written.join('')
}

const shapes: readonly (readonly [string, FileTree])[] = [
  [
    '1 an expected skill and expectations',
    {
      'skills/deploy/SKILL.md': skill('deploy'),
      'skills/deploy/evals/evals.json': JSON.stringify([
        {
          id: 'd1',
          question: 'Set it up',
          expected_skill: 'deploy',
          expected_script: null,
          ground_truth: 'Names deploy and outlines it.',
          expected_behavior: ['Names the deploy skill', 'Runs no commands'],
        },
      ]),
    },
  ],
  [
    '2 no expected skill, should not trigger, and expectations',
    {
      'skills/deploy/SKILL.md': skill('deploy'),
      'skills/deploy/evals/evals.json': JSON.stringify([
        {
          id: 'd1',
          question: 'Set it up',
          expected_skill: null,
          should_trigger: false,
          ground_truth: 'Names deploy and outlines it.',
          expected_behavior: ['Names the deploy skill', 'Runs no commands'],
        },
      ]),
    },
  ],
  [
    '3 an expected skill that should not trigger',
    {
      'skills/deploy/SKILL.md': skill('deploy'),
      'skills/deploy/evals/triggers.json': JSON.stringify([
        { query: 'Say hello', expected_skill: 'deploy', should_trigger: false },
      ]),
    },
  ],
  [
    '5 trigger fixtures',
    {
      'skills/write/SKILL.md': skill('write'),
      'skills/write/evals/trigger-fixtures.json': JSON.stringify({
        schema: 1,
        skill: 'write',
        runs_per_query: 3,
        trigger_threshold: 0.5,
        queries: [
          { q: 'Draft it', expect: 'trigger', split: 'train' },
          { q: 'Plot it', expect: 'no-trigger' },
        ],
      }),
    },
  ],
  [
    '6 routes to any skill of the repository',
    {
      'skills/map/SKILL.md': skill('map'),
      'skills/blueprint/SKILL.md': skill('blueprint'),
      'evals/triggers.json': JSON.stringify({
        cases: [
          { prompt: 'Map the code', expect: 'map', route: 'not blueprint' },
          { prompt: 'Hello', expect: 'none' },
        ],
      }),
    },
  ],
  [
    '7 a skill at the root of a checkout called otherwise',
    {
      'SKILL.md': skill('xcode-cleanup'),
      'evals/evals.json': JSON.stringify({
        skill_name: 'xcode-cleanup',
        evals: [{ id: 1, prompt: 'Clean', expectations: ['It is clean'] }],
      }),
    },
  ],
  [
    '8 expected output alone, in a folder of tests',
    {
      'skills/atlas/SKILL.md': skill('atlas'),
      'skills/other/SKILL.md': skill('other'),
      'testing/atlas/evals/evals.json': JSON.stringify({
        skill_name: 'atlas',
        evals: [{ id: 1, prompt: 'Map', expected_output: 'A map of the code.' }],
      }),
    },
  ],
  [
    '9 a file beside the only skill of a plugin',
    {
      'plugins/p/skills/only/SKILL.md': skill('only'),
      'plugins/q/skills/other/SKILL.md': skill('other'),
      'plugins/p/evals.json': JSON.stringify({ evals: [{ id: 1, prompt: 'Go', expectations: ['Gone'] }] }),
    },
  ],
  [
    '10 skills and categories called setup',
    {
      'skills/setup/SKILL.md': skill('setup'),
      'skills/setup/evals/evals.json': JSON.stringify([{ id: 1, prompt: 'Set up', expectations: ['It is set up'] }]),
      'skills/setup/lint/SKILL.md': skill('lint'),
      'skills/setup/lint/evals/evals.json': JSON.stringify([{ id: 1, prompt: 'Lint', expectations: ['Linted'] }]),
    },
  ],
  [
    '11 lists of queries',
    {
      'skills/clean/SKILL.md': skill('clean'),
      'skills/clean/evals/trigger-cases.json': JSON.stringify({
        skill_name: 'clean',
        should_trigger: ['Clean it'],
        should_not_trigger: ['Plot it'],
      }),
    },
  ],
  [
    '12 files of other names',
    {
      'skills/x/SKILL.md': skill('x'),
      'skills/y/SKILL.md': skill('y'),
      'skills/x/evals/trigger-queries.json': JSON.stringify([{ query: 'Go', should_trigger: true }]),
      'skills/x/evals/extended-evals.json': JSON.stringify([{ id: 1, prompt: 'Go', expectations: ['Gone'] }]),
      'evals/y-evals.json': JSON.stringify([{ id: 1, prompt: 'Stay', expectations: ['Here'] }]),
    },
  ],
  [
    '13 expected output as an object',
    {
      'skills/x/SKILL.md': skill('x'),
      'skills/x/evals/evals.json': JSON.stringify([
        {
          id: 1,
          prompt: 'Import it',
          expected_output: {
            description: 'Imports the plan',
            artifacts: ['outputs/log.txt'],
            assertions: ['Asks before it writes'],
          },
        },
      ]),
    },
  ],
  [
    '14 an empty list, a bare entry, a disabled one',
    {
      'skills/x/SKILL.md': skill('x'),
      'skills/x/evals/triggers.json': '[]',
      'skills/x/evals/one.json': JSON.stringify({ id: 1, prompt: 'Hi', expectations: ['Greets'] }),
      'skills/x/evals/evals.json': JSON.stringify([{ id: 1, prompt: 'Later', expectations: ['Y'], disabled: true }]),
    },
  ],
]

describe('agent-evals list --json of files as people write them', () => {
  test.each(shapes)('%s', async (_, files) => {
    const { cases, notes, version } = JSON.parse(await listed(files, '--json')) as {
      readonly version: number
      readonly cases: readonly object[]
      readonly notes: readonly object[]
    }
    expect(version).toBe(2)
    expect({ cases, notes }).toMatchSnapshot()
  })

  test('is explained to a person', async () => {
    const [, files] = shapes[0] ?? ['', {}]
    expect(await listed(files, '--explain')).toMatchSnapshot()
  })
})

test('--explain says who decides each expectation, as a run decides it', async () => {
  const expectations = [
    'file-exists:notes.md',
    { 'skill-used': 'deploy' },
    { text: 'It says so', contains: 'done' },
    'notes.md exists',
  ]
  const shown = await listed(
    {
      'skills/deploy/SKILL.md': skill('deploy'),
      'skills/deploy/evals/evals.json': JSON.stringify([{ id: 1, prompt: 'Write notes.', expectations }]),
    },
    '--explain',
  )
  expect(shown.split('\n').filter((line) => /^ {2}(?:check|judge)/.test(line))).toEqual([
    '  check    file-exists:notes.md (notes.md exists.)',
    '  check    The skill deploy is used.',
    '  check    It says so (The output contains "done".)',
    '  judge    notes.md exists',
  ])
})
