import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { bubblewrapArguments, insideCommand, SIZED_FOLDERS } from './arguments.ts'
import { insideEnvironment } from '../environment.ts'
import { writeEtc } from '../etc.ts'
import { createControlGroup, enterControlGroup } from '../control-group.ts'
import { defaultLimits, MAX_PROCESSES } from '../resource-limits.ts'
import { seccompFilter } from './seccomp.ts'
import type { Host } from '../backend.ts'
import type { SandboxedCommand, SandboxRequest } from '../sandbox.ts'
import type { Bubblewrap } from './probe.ts'

/**
 * What to spawn for a prepared session in bubblewrap. All options go through a file: `ps` shows a command line to every
 * user, and an environment passed to bwrap itself would let a case's LD_PRELOAD run outside.
 */
export function bubblewrapCommand(
  bubblewrap: Bubblewrap,
  request: SandboxRequest,
  { layout, isRoot }: Host,
): SandboxedCommand {
  const { root } = request
  writeEtc(root)
  const resolved = {
    ...request,
    realExecutable: realpathSync(request.executable),
    env: { ...insideEnvironment(), ...request.env },
  }
  const argumentsFile = join(root, 'bubblewrap-arguments')
  writeFileSync(argumentsFile, separate(bubblewrapArguments(resolved, layout, bubblewrap)), { mode: 0o600 })
  const filterFile = bubblewrap.seccomp ? writeFilter(root) : null
  const descriptors = [argumentsFile, ...(filterFile === null ? [] : [filterFile])]
  const options = [
    '--args',
    '3',
    ...(filterFile === null ? [] : ['--seccomp', '4']),
    '--json-status-fd',
    String(3 + descriptors.length),
  ]
  const limits = { processes: MAX_PROCESSES, memory: defaultLimits().memory }
  const controlGroup = bubblewrap.limits ? createControlGroup(limits, isRoot) : null
  const { file, before } =
    controlGroup === null
      ? { file: bubblewrap.program, before: [] }
      : enterControlGroup(controlGroup, bubblewrap.program)
  return {
    file,
    arguments: [...before, ...options, '--', ...insideCommand(resolved, layout, bubblewrap)],
    env: {},
    cwd: root,
    descriptors,
    status: true,
    tag: null,
    controlGroup,
    root,
    sizedFolders: SIZED_FOLDERS,
    graceMs: 0,
  }
}

function writeFilter(root: string): string | null {
  const filter = seccompFilter()
  if (filter === null) return null

  const file = join(root, 'seccomp.bpf')
  writeFileSync(file, filter, { mode: 0o600 })
  return file
}

// A null byte in a value would be read as the start of another option, such as one more mount.
function separate(values: readonly string[]): string {
  const wrong = values.find((value) => value.includes('\0'))
  if (wrong === undefined) return values.map((value) => `${value}\0`).join('')

  throw new AgentEvalsError(
    'invalid-suite',
    `A path or a variable of \`env\` contains a null byte: ${JSON.stringify(wrong)}. Remove it.`,
  )
}
