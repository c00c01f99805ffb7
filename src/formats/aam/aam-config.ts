import { z } from 'zod'
import { RELATIVE_PATH, pathProblem, refusing } from '../../checks/schemas.ts'
import { documentAt, warningAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import type { ReadText } from '../../lib/documents/read-text.ts'
import { normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { validate } from '../../lib/documents/validate.ts'
import { ENV_NAME, checkEnvName } from '../../lib/env-name.ts'
import { isJsonObject } from '../../lib/json.ts'
import { NO_NAMES, type KnownNames, type SuiteConfig } from '../suite.ts'
import { fieldsSchema } from '../skill-evals/fields.ts'
import type { FieldsOption } from '../skill-evals/vocabulary.ts'
import { AAM_DEFAULTS, withoutAamConfig, type AamConfig } from './aam-defaults.ts'
import { envValue, timeout } from './aam-schema.ts'

const writablePath = z
  .string()
  .check(refusing('unsafe-path', (path) => (isWholeWorkspace(path) ? null : pathProblem(path))))
  .refine(
    (path) => pathProblem(path) !== null || !path.includes('*'),
    'is a pattern; use a folder, which is writable as a whole',
  )
  .meta(RELATIVE_PATH)

function envName({ ownVariables }: KnownNames): z.ZodString {
  const schema = z.string().check(refusing('env-name', (name) => checkEnvName(name, ownVariables)))
  return schema.meta({ pattern: ENV_NAME.source })
}

function judgeName({ judgeProblem }: KnownNames): z.ZodString {
  const describe = (judge: string): string | null => {
    const problem = judgeProblem(judge)
    return problem === null ? null : `the judge "${judge}" ${problem}`
  }
  return z.string().min(1).check(refusing('unknown-judge', describe))
}

// For editors, and for the suites of skills.
const SETTLING = {
  $schema: z.string().optional(),
  fields: fieldsSchema.describe('Roles of fields in evals.json that have none.').optional(),
}

/** The fields of an eval-config.json. */
interface ConfigFields {
  readonly $schema?: string | undefined
  readonly version: 1
  readonly engine: string
  readonly timeout?: number | undefined
  readonly judge?: string | undefined
  readonly sandbox?:
    | { readonly network?: boolean | undefined; readonly 'writable-paths'?: readonly string[] | undefined }
    | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly fields?: FieldsOption | undefined
}

/** The schema of an eval-config.json. The one for editors is made from it. */
export function configSchema(names: KnownNames): z.ZodType<ConfigFields> {
  return z
    .strictObject({
      version: z.literal(1).describe('Version of the format.'),
      engine: z.string().min(1).describe('Agent runtime, such as `claude-code`.'),
      timeout: timeout.meta({ description: 'Timeout of a case in seconds.', default: 120 }).optional(),
      judge: judgeName(names)
        .describe('Model of the judge, `model` or `provider:model`. Default: the model of the agent.')
        .optional(),
      sandbox: z
        .strictObject({
          network: z
            .boolean()
            .meta({
              description:
                'Whether the agent may use the network of the host, with every service on loopback and every abstract socket.',
              default: false,
            })
            .optional(),
          'writable-paths': z
            .array(writablePath)
            .describe('Folders that the agent may write to, relative to the workspace. Default: all of it.')
            .optional(),
        })
        .optional(),
      env: z.record(envName(names), envValue).describe('Environment variables of the agent.').optional(),
      ...SETTLING,
    })
    .meta({
      title: 'Eval configuration',
      description: 'evals/eval-config.json: how the eval cases of a package are run.',
    })
}

/** Reads the text of an eval-config.json. A file that is not there leaves the defaults and says so. */
export function parseAamConfig(read: ReadText, file: string, names: KnownNames = NO_NAMES): AamConfig {
  if (read.issue?.code === 'file-missing') return withoutAamConfig(file)
  if (read.issue !== null) return { config: AAM_DEFAULTS, issues: [read.issue] }

  const document = readDocument(read.text, { kind: 'json', file, what: 'configuration' })
  if (onlySettles(document.value)) {
    return { config: AAM_DEFAULTS, issues: validate(document, z.strictObject(SETTLING)).issues }
  }
  const { value, issues } = validate(document, configSchema(names))
  if (value === null) return { config: AAM_DEFAULTS, issues }

  const paths = value.sandbox?.['writable-paths']
  const config: SuiteConfig = {
    file,
    engine: value.engine,
    timeout: value.timeout ?? null,
    judge: value.judge ?? null,
    network: value.sandbox?.network ?? false,
    writablePaths: paths === undefined || paths.some(isWholeWorkspace) ? null : paths.map(normalizeRelativePath),
    env: value.env ?? {},
  }
  return { config, issues: [...issues, ...warnOfConfigFolders(config, document, names.ownPaths)] }
}

// Such a file is only for `evals.json`, and says nothing of cases.
function onlySettles(value: unknown): boolean {
  const names = isJsonObject(value) ? Object.keys(value) : []
  return names.includes('fields') && names.every((name) => Object.hasOwn(SETTLING, name))
}

function isWholeWorkspace(path: string): boolean {
  return path === '.' || path === './'
}

// Writing there changes how the agent itself works: allowed, since it is asked for, but never unnoticed.
function warnOfConfigFolders(
  { writablePaths }: SuiteConfig,
  document: ReadDocument,
  ownPaths: readonly string[],
): readonly Issue[] {
  const configured = new Set(['.git', ...ownPaths].map(topOf))
  const written = documentAt(document, ['sandbox', 'writable-paths'])
  return (writablePaths ?? []).flatMap((path, index) => {
    if (!configured.has(topOf(path))) return []
    const message = `lets the agent change its own configuration or repository (${path})`
    return [warningAt(written, [index], 'writable-config', message)]
  })
}

function topOf(path: string): string {
  return path.split('/')[0] ?? ''
}
