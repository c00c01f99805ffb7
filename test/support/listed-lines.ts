import { createFixture, type FileTree } from 'fs-fixture'
import { list } from '../../src/cli/commands/list.ts'
import { printed } from './printed.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`

interface Listed {
  readonly cases: readonly {
    readonly kind: string
    readonly prompt: string
    readonly skill: string | null
    readonly expects: readonly { readonly text: string; readonly by: string }[]
    readonly context: readonly string[]
  }[]
  readonly notes: readonly { readonly field: string | null; readonly message: string }[]
}

/** The suite of the skill `x` in a line for each case, and one for each note. */
export async function linesOf(
  value: unknown,
  more: FileTree = {},
  file = 'skills/x/evals/evals.json',
): Promise<readonly string[]> {
  await using fixture = await createFixture({
    'skills/x/SKILL.md': skill('x'),
    'skills/y/SKILL.md': skill('y'),
    [file]: typeof value === 'string' ? value : JSON.stringify(value),
    ...more,
  })
  const { cases, notes } = JSON.parse(await printed(list, '--root', fixture.path, '--json')) as Listed
  return [
    ...cases.map(({ kind, prompt, skill: about, expects, context }) => {
      const expected = expects.map(({ text, by }) => `${by} "${text}"`)
      return [`${kind} of ${about}: ${prompt}`, ...expected, ...context.map((text) => `context "${text}"`)].join(' | ')
    }),
    ...notes.map(({ field, message }) => `note${field === null ? '' : ` ${field}`}: ${message}`),
  ]
}
