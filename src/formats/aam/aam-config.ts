import { z } from 'zod'
import { documentAt, warningAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import type { ReadText } from '../../lib/documents/read-text.ts'
import { checkRelativePath, normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { validate } from '../../lib/documents/validate.ts'
import { isJsonObject } from '../../lib/json.ts'
import { NO_NAMES, type KnownNames, type SuiteConfig } from '../suite.ts'
import { fieldsSchema } from '../skill-evals/fields.ts'
import { AAM_DEFAULTS, withoutAamConfig, type AamConfig } from './aam-defaults.ts'
import { envValue, timeout } from './aam-schema.ts'

const writablePath = z.string().check(({ value, issues }) => {
  const problem = isWholeWorkspace(value) ? null : checkRelativePath(value)
  if (problem !== null)
    issues.push({ code: 'custom', input: value, message: `the path ${problem}`, params: { code: 'unsafe-path' } })
  else if (value.includes('*'))
    issues.push({ code: 'custom', input: value, message: 'is a pattern; use a folder, which is writable as a whole' })
})

function envName({ ownVariables }: KnownNames): z.ZodString {
  return z.string().check(({ value, issues }) => {
    const problem = checkEnvName(value, ownVariables)
    if (problem !== null) issues.push({ code: 'custom', input: value, message: problem, params: { code: 'env-name' } })
  })
}

function judgeName({ judgeProblem }: KnownNames): z.ZodString {
  return z
    .string()
    .min(1)
    .check(({ value, issues }) => {
      const problem = judgeProblem(value)
      if (problem !== null)
        issues.push({
          code: 'custom',
          input: value,
          message: `the judge "${value}" ${problem}`,
          params: { code: 'unknown-judge' },
        })
    })
}

// For editors, and for the suites of skills.
const SETTLING = { $schema: z.string().optional(), fields: fieldsSchema.optional() }

const FIELDS = {
  ...SETTLING,
  version: z.literal(1),
  engine: z.string().min(1),
  timeout: timeout.optional(),
  sandbox: z
    .strictObject({ network: z.boolean().optional(), 'writable-paths': z.array(writablePath).optional() })
    .optional(),
}

/** Reads the text of an eval-config.json. A file that is not there leaves the defaults and says so. */
export function parseAamConfig(read: ReadText, file: string, names: KnownNames = NO_NAMES): AamConfig {
  if (read.issue?.code === 'file-missing') return withoutAamConfig(file)
  if (read.issue !== null) return { config: AAM_DEFAULTS, issues: [read.issue] }

  const document = readDocument(read.text, { kind: 'json', file, what: 'configuration' })
  if (onlySettles(document.value)) {
    return { config: AAM_DEFAULTS, issues: validate(document, z.strictObject(SETTLING)).issues }
  }
  const schema = z.strictObject({
    ...FIELDS,
    judge: judgeName(names).optional(),
    env: z.record(envName(names), envValue).optional(),
  })
  const { value, issues } = validate(document, schema)
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

/**
 * Why a suite may not set this variable for the agent, as a sentence; `null` when it may. `ofEngines` are the beginnings of
 * the variables of engines.
 */
function checkEnvName(name: string, ofEngines: readonly string[]): string | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return 'not a variable name; use A-Z, 0-9 and _, not starting with a digit'
  const upper = name.toUpperCase()
  const isReserved =
    RESERVED.has(upper) || [...RESERVED_PREFIXES, ...ofEngines].some((prefix) => upper.startsWith(prefix))
  return isReserved ? 'is reserved: it would change the agent or its sandbox; choose another name' : null
}

// Each of these decides what runs, as whom, against which model, or where it may connect.
const RESERVED: ReadonlySet<string> = new Set([
  'ALL_PROXY',
  'BASH_ENV',
  'ENV',
  'FTP_PROXY',
  'HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'IFS',
  'LOGNAME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NO_PROXY',
  'OLDPWD',
  'PATH',
  'PWD',
  'SHELL',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TEMP',
  'TMP',
  'TMPDIR',
  'USER',
])

const RESERVED_PREFIXES: readonly string[] = [
  'AGENT_EVALS_',
  'ATOMIC_AGENTS_',
  'BASH_FUNC_',
  'DYLD_',
  'LD_',
  'VITEST',
  'XDG_',
]
