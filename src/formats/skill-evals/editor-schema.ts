import { z } from 'zod'
import { elementSchema, promptSchema, schemaOf } from './fields.ts'
import { CHECK_NAMES } from './typed-checks.ts'
import { ELEMENT_FIELDS, ENTRY_ROWS, FILE_ROWS, ROLES, ROLE_NAMES, type Role, type Row } from './vocabulary.ts'

const entry = z.looseObject(fieldsOf(ENTRY_ROWS)).meta({
  id: 'entry',
  description: 'One thing that the agent is asked.',
  anyOf: requireOne(ENTRY_ROWS, 'ask'),
})
const list = z.array(entry).min(1).meta({ id: 'list' })
const queries = z.array(z.union([promptSchema, entry])).meta({ id: 'queries' })
const DIRECTED = FILE_ROWS.filter(({ role }) => role === 'positives' || role === 'negatives')
const directed = z.looseObject(fieldsOf(DIRECTED)).meta({
  id: 'directed',
  description: 'Queries by their direction.',
  anyOf: requireOne(DIRECTED, 'list'),
})
const file = z
  .looseObject({
    $schema: z.string().optional().meta({ description: 'This schema, for editors.' }),
    ...fieldsOf(FILE_ROWS),
  })
  .meta({ anyOf: requireOne(FILE_ROWS, 'list') })
const suite = z.union([list, file]).meta({
  title: 'Evals of a skill',
  description:
    'evals.json and triggers.json: what an agent with the skill is asked, and what is expected of it, or which skill it should use.',
})

const CHECK = {
  description: 'A sentence with more beside it, or a check by its type.',
  properties: {
    type: {
      description: `${CHECK_NAMES.join(', ')} need no model; anything else is for the judge.`,
      type: 'string',
      examples: CHECK_NAMES,
    },
    text: { description: `The sentence. Also: ${ELEMENT_FIELDS.text.slice(1).join(', ')}.`, type: 'string' },
    value: { description: 'What is looked for.', type: 'string' },
    pattern: { description: 'The regular expression.', type: 'string' },
    path: { description: 'The file.', type: 'string' },
  },
}

/** The JSON schema of `evals.json` and `triggers.json`, for editors: the schemas that read them, by the names of the vocabulary. */
export function editorSchema(): object {
  return z.toJSONSchema(suite, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === elementSchema) Object.assign(jsonSchema, CHECK)
    },
  })
}

function fieldsOf(rows: readonly Row[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    rows.flatMap(({ role, names, means }) =>
      names.map((name, index) => {
        const description = index === 0 ? means : `Another name of \`${names[0]}\`.`
        return [name, valueOf(ROLES[role]).optional().meta({ description })]
      }),
    ),
  )
}

function valueOf(role: Role): z.ZodType {
  if (role.as === 'list') return z.lazy(() => (role.when === null ? z.union([list, directed]) : queries))
  // An entry without a skill of its own says so.
  return role.as === 'subject' ? schemaOf(role).nullable() : schemaOf(role)
}

function requireOne(rows: readonly Row[], as: Role['as']): readonly object[] {
  return rows
    .filter(({ role }) => ROLES[role].as === as)
    .flatMap(({ names }) => names.map((name) => ({ required: [name] })))
}

/** The table of names in docs/skill-evals-reference.md. */
export function fieldTable(): string {
  return [
    tableOf('field of an entry', ENTRY_ROWS),
    tableOf('field of a file', FILE_ROWS),
    `Roles: ${ROLE_NAMES.map((name) => `\`${name}\``).join(' ')}.`,
  ].join('\n\n')
}

function lineOf({ role, names, means }: Row): string {
  return `| ${names.map((name) => `\`${name}\``).join(' ')} | \`${role}\` | ${means} |`
}

function tableOf(head: string, rows: readonly Row[]): string {
  return [`| ${head} | role | meaning |`, '|---|---|---|', ...rows.map(lineOf)].join('\n')
}
