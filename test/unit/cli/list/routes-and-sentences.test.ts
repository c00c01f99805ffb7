import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

// Routes and sentences as authors write them, in fields that no list of ours has.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'a direction by the words of its name',
    [
      { id: 1, prompt: 'a', expect_load: true },
      { id: 2, prompt: 'b', expect_load: false, forbidden_file_reads: ['big.md'] },
      { id: 3, prompt: 'c', 'must-not-be-invoked': true },
      { id: 4, prompt: 'd', shouldAutoTrigger: false },
      { id: 5, prompt: 'e', uses_skill: true },
    ],
    [
      'trigger of x: a | check "The skill x is used."',
      'eval of x: b | check "The skill x is not used." | judge "This must not be the case (forbidden file reads): big.md"',
      'trigger of x: c | check "The skill x is not used."',
      'trigger of x: d | check "The skill x is not used."',
      'trigger of x: e | check "The skill x is used."',
    ],
  ],
  [
    'skills by the words of the name of their field',
    [
      { id: 1, prompt: 'a', assertions: ['Asks'], skills_expected_to_activate: ['x', 'y'] },
      { id: 2, prompt: 'b', skill_that_should_trigger: 'y' },
      { id: 3, prompt: 'c', should_trigger: true, skills_not_expected: ['y'] },
      { id: 4, prompt: 'd', required_skill: 'y', permitted_skills: ['x'] },
      { id: 5, prompt: 'e', expected_skill: 'x', expected_skill_output: 'A table' },
    ],
    [
      'eval of x: a | check "The skill x is used." | check "The skill y is used." | judge "Asks"',
      'trigger of x: b | check "The skill y is used."',
      'eval of x: c | check "The skill x is used." | check "The skill y is not used."',
      'trigger of x: d | check "The skill y is used."',
      'trigger of x: e | check "The skill x is used."',
      'note 3.permitted_skills: has no effect: other skills may be used anyway',
      'note 4.expected_skill_output: has no effect: unknown field',
    ],
  ],
  [
    'sentences in scripts without blanks, where skills could be named',
    [
      { id: 1, prompt: 'a', expected: ['保留全部数字', '说明尚未验证'], failure_mode: '编造数字' },
      { id: 2, prompt: 'b', expected: '直接回答即可' },
      { id: 3, prompt: 'c', expect: ['ต้องถามวันที่'] },
      { id: 4, prompt: 'd', expected: ['x'] },
    ],
    [
      'eval of x: a | judge "保留全部数字" | judge "说明尚未验证" | judge "This must not be the case (failure mode): 编造数字"',
      'eval of x: b | judge "直接回答即可"',
      'eval of x: c | judge "ต้องถามวันที่"',
      'trigger of x: d | check "The skill x is used."',
    ],
  ],
  [
    'a direction by a verb alone, and one with a prompt of another name',
    {
      policy: 'Implicit discovery',
      cases: [
        { id: 'diff', prompt: 'Review my changes.', activate: true },
        { id: 'docs', prompt: 'Review the README for typos.', activate: false },
        { phrase: 'generate a commit message', should_use: true },
        { prompt: 'Explain it.', triggers: false, auto_load: true },
      ],
    },
    [
      'trigger of x: Review my changes. | check "The skill x is used."',
      'trigger of x: Review the README for typos. | check "The skill x is not used."',
      'trigger of x: generate a commit message | check "The skill x is used."',
      'trigger of x: Explain it. | check "The skill x is not used."',
      'note policy: has no effect: unknown field',
      'note cases.3.auto_load: has no effect: unknown field',
    ],
  ],
  [
    'another skill that takes what must not trigger this one',
    [
      { id: 'a', prompt: 'Stress it', should_trigger: false, expected_route: 'y', assertions: ['Hands it over'] },
      { id: 'b', prompt: 'Break it', should_trigger: false, expected_skill: 'x' },
      { id: 'c', prompt: 'Make it', should_trigger: false, expected_skill: 'y' },
    ],
    [
      'eval of x: Stress it | check "The skill y is used." | check "The skill x is not used." | judge "Hands it over"',
      'trigger of x: Break it | check "The skill x is not used."',
      'eval of x: Make it | check "The skill y is used." | check "The skill x is not used."',
    ],
  ],
  [
    'no skill as an empty list, where other entries name theirs',
    [
      { skills: ['x'], query: 'Review it', expected_behavior: ['Names the base'] },
      { skills: [], query: 'Write it', expected_behavior: ['Does not read skills/x/SKILL.md'] },
    ].map((entry, index) => ({ id: index, ...entry })),
    [
      'eval of x: Review it | judge "Names the base"',
      'eval of x: Write it | check "No skill is used." | judge "Does not read skills/x/SKILL.md"',
    ],
  ],
  [
    'rivals and near misses under the names of skills',
    {
      x: { should: ['Check it'], near: [{ prompt: 'Build it', expect: 'y', reject: ['x'] }] },
      y: { should: ['Build a form'], near: [{ prompt: 'What is WCAG?', expect: null }] },
    },
    [
      'trigger of x: Check it | check "The skill x is used."',
      'eval of x: Build it | check "The skill y is used." | check "The skill x is not used."',
      'trigger of y: Build a form | check "The skill y is used."',
      'trigger of y: What is WCAG? | check "No skill is used."',
      "note x.near.0.id: missing; the id is the entry's number 2 until another is inserted before it. Add a stable id",
    ],
  ],
])('lists %s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})

test('a list of skills whose names are in such a script names skills', async () => {
  const more = { 'skills/周报/SKILL.md': '---\nname: 周报\ndescription: Use it for reports.\n---\nDo it.\n' }
  expect(await linesOf([{ id: 1, prompt: 'a', expected: ['周报'] }], more)).toEqual([
    'trigger of x: a | check "The skill 周报 is used."',
  ])
})

test('texts alone in a map of skills', async () => {
  const suite =
    'skills:\n  x:\n    - before writing code define a check\n  y:\n    - claim the bug is fixed\n    - ready to open\n'
  expect(await linesOf(suite, {}, 'evals/triggers.yaml')).toEqual([
    'trigger of x: before writing code define a check | check "The skill x is used."',
    'trigger of y: claim the bug is fixed | check "The skill y is used."',
    'trigger of y: ready to open | check "The skill y is used."',
  ])
})
