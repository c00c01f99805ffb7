import { TABLE_TYPES } from './table-checks.ts'
import {
  CHECK_TYPES,
  ELEMENT_FIELDS,
  ENTRY_ROWS,
  FILE_ROWS,
  LIST_TYPES,
  ROLES,
  ROLE_NAMES,
  type Level,
  type Role,
  type Row,
} from './vocabulary.ts'

type Schema = Readonly<Record<string, unknown>>

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })

/** The JSON schema of `evals.json` and `triggers.json`, for editors. It comes from the vocabulary. */
export function editorSchema(): Schema {
  const lists = FILE_ROWS.filter(({ role }) => ROLES[role].as === 'list').flatMap(({ names }) => names)
  const directed = FILE_ROWS.filter(({ role }) => role === 'positives' || role === 'negatives')
  const asks = ENTRY_ROWS.filter(({ role }) => ['ask', 'turns'].includes(ROLES[role].as)).flatMap(({ names }) => names)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Evals of a skill',
    description:
      'evals.json and triggers.json: what an agent with the skill is asked, and what is expected of it, or which skill it should use.',
    anyOf: [
      ref('list'),
      {
        type: 'object',
        anyOf: required(lists),
        properties: {
          $schema: { description: 'This schema, for editors.', type: 'string' },
          ...propertiesOf(FILE_ROWS, 'file'),
        },
      },
    ],
    $defs: {
      list: { type: 'array', minItems: 1, items: ref('entry') },
      queries: { type: 'array', items: { anyOf: [ref('prompt'), ref('entry')] } },
      directed: {
        description: 'Queries by their direction.',
        type: 'object',
        anyOf: required(directed.flatMap(({ names }) => names)),
        properties: propertiesOf(directed, 'file'),
      },
      entry: {
        description: 'One thing that the agent is asked.',
        type: 'object',
        anyOf: required(asks),
        properties: propertiesOf(ENTRY_ROWS, 'entry'),
      },
      ...DEFINITIONS,
    },
  }
}

function required(names: readonly string[]): readonly Schema[] {
  return names.map((name) => ({ required: [name] }))
}

function propertiesOf(rows: readonly Row[], level: Level): Schema {
  return Object.fromEntries(
    rows.flatMap(({ role, names: [first, ...others], means }) =>
      [first ?? '', ...others].map((name) => [
        name,
        { description: name === first ? means : `Another name of \`${first}\`.`, ...valueOf(ROLES[role], level) },
      ]),
    ),
  )
}

function valueOf(role: Role, level: Level): Schema {
  switch (role.as) {
    case 'ask':
      return ref('prompt')
    case 'prefix':
      return ref('text')
    case 'files':
      return ref('files')
    case 'expect':
      return ref('elements')
    case 'context':
      return { anyOf: [ref('text'), { type: 'array', items: ref('text') }, { type: 'object' }] }
    case 'direction':
      return { type: 'boolean' }
    case 'route':
      return role.use === 'any' ? ref('route') : ref('names')
    case 'subject':
      return level === 'entry' ? { anyOf: [ref('names'), { type: 'null' }] } : ref('names')
    case 'skip':
      return { type: ['boolean', 'string'] }
    case 'label':
      if (role.of === 'id') return ref('id')
      return role.of === 'tags' ? ref('names') : { type: 'string' }
    case 'setting':
      return ref(role.of)
    case 'list':
      return role.when === null ? { anyOf: [ref('list'), ref('directed')] } : ref('queries')
    case 'choice':
    case 'ignore':
    case 'turns':
      return {}
  }
}

const TYPES: readonly string[] = [...Object.keys({ ...CHECK_TYPES, ...LIST_TYPES }), ...TABLE_TYPES]

const DEFINITIONS: Schema = {
  id: {
    anyOf: [
      { type: 'string', maxLength: 300, pattern: '^[^\\u0000-\\u001F\\u007F]*\\S[^\\u0000-\\u001F\\u007F]*$' },
      { type: 'integer' },
    ],
  },
  text: { type: 'string', maxLength: 1024 * 1024 },
  prompt: { type: 'string', maxLength: 1024 * 1024, pattern: '\\S' },
  elements: {
    anyOf: [ref('text'), { type: 'array', items: { anyOf: [ref('prompt'), ref('check')] } }, { type: 'object' }],
  },
  check: {
    description: 'A sentence with more beside it, or a check by its type.',
    type: 'object',
    properties: {
      type: {
        description: `${TYPES.join(', ')} need no model; anything else is for the judge.`,
        type: 'string',
        examples: TYPES,
      },
      text: { description: `The sentence. Also: ${ELEMENT_FIELDS.text.slice(1).join(', ')}.`, type: 'string' },
      value: { description: 'What is looked for.', type: 'string' },
      pattern: { description: 'The regular expression.', type: 'string' },
      path: { description: 'The file.', type: 'string' },
    },
  },
  files: {
    type: ['array', 'object'],
    propertyNames: ref('relativePath'),
    additionalProperties: ref('text'),
    items: {
      anyOf: [
        ref('relativePath'),
        {
          type: 'object',
          required: ['path', 'content'],
          properties: {
            path: { description: 'Place in the workspace.', ...ref('relativePath') },
            content: { description: 'What the file holds.', ...ref('text') },
          },
          additionalProperties: false,
        },
      ],
    },
  },
  relativePath: {
    type: 'string',
    minLength: 1,
    pattern: '^(?![/~])(?![A-Za-z]:)(?!(?:.*/)?\\.\\.(?:/|$))[^\\\\\\u0000-\\u001F]+$',
  },
  timeout: { type: 'number', exclusiveMinimum: 0, maximum: 86_400 },
  runs: { type: 'integer', minimum: 1, maximum: 100 },
  threshold: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  names: {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { type: 'string', minLength: 1 } },
    ],
  },
  route: { anyOf: [ref('names'), { const: '' }, { type: 'null' }] },
}

/** The table of names in docs/skill-evals.md. */
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
