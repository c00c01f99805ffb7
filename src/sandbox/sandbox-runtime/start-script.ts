import { join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { hasPrlimit, PRLIMIT } from '../resource-limits.ts'
import { STARTED } from '../run.ts'
import type { RuntimeRequest } from './config.ts'

/**
 * Shell script that a session begins with: what the engine is started by, so that neither its environment nor its
 * arguments decide anything outside.
 */
export function startScript(request: RuntimeRequest, links: readonly Link[]): string {
  const limits = process.platform === 'linux' && hasPrlimit() ? PRLIMIT : []
  const command = [...limits, request.realExecutable, ...request.arguments]
  return [
    `cd ${quote(join(request.root, 'workspace'))} || exit 97`,
    'unset OLDPWD',
    ...links.map(({ at, to }) => `[ -e ${quote(at)} ] || ln -s ${quote(to)} ${quote(at)}`),
    `echo ${quote(STARTED)} >&3`,
    'exec 3>&-',
    ...Object.entries(request.env).map(([name, value]) => `export ${name}=${quote(value)}`),
    `exec ${command.map(quote).join(' ')}`,
    '',
  ].join('\n')
}

/** A link to make in the throw-away `/etc`. */
export interface Link {
  readonly at: string
  readonly to: string
}

/** One word of a shell command. */
export function quote(value: string): string {
  if (!value.includes('\0')) return `'${value.replaceAll("'", String.raw`'\''`)}'`

  throw new AgentEvalsError(
    'invalid-suite',
    `A path, an argument or a variable of \`env\` contains a null byte: ${JSON.stringify(value)}. Remove it.`,
  )
}
