import { rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { listTree } from '../../inputs/list-tree.ts'
import { sandboxCommand } from '../../sandbox/command.ts'
import { pathsIn } from '../session-folders.ts'
import { runSandboxed } from '../../sandbox/run.ts'
import { copyInto } from '../../workspace/write-copy.ts'
import type { PluginEvalCase } from '../../suites/formats/plugin-eval/model.ts'
import type { Workspace } from '../../workspace/create-workspace.ts'
import type { AgentRequest } from '../agent-request.ts'

/** Milliseconds that a scaffold script may take. */
const DEADLINE_MS = 120_000

const BASH = '/bin/bash'

/**
 * Fills the workspace by the case's own script, in the sandbox of the case and without a network. The script sees a copy
 * of the folder of its case, which is gone before the agent starts.
 *
 * @throws {AgentEvalsError} `scaffold-failed`.
 */
export async function runScaffold(
  request: Pick<AgentRequest, 'label' | 'sandbox' | 'signal'>,
  { caseDir, context }: PluginEvalCase,
  workspace: Pick<Workspace, 'config' | 'root'>,
): Promise<void> {
  const { scaffold } = context
  if (scaffold === null) return
  // Every sandbox shows this folder.
  const copy = join(workspace.config, CASE)
  const socket = join(workspace.root, 'no-gateway')
  for (const file of listTree(caseDir).files) copyInto(copy, file.path, file)
  writeFileSync(socket, '')
  const place = {
    root: workspace.root,
    executable: BASH,
    network: false,
    gatewaySocket: socket,
    gatewayPort: NO_PORT,
    bridge: false,
    shim: BASH,
  }
  const { config } = pathsIn(request, place)
  const script = [config, CASE, ...relative(caseDir, scaffold.file).split(sep)].join('/')
  try {
    const asked = {
      ...place,
      arguments: [script],
      env: {},
      readOnly: [],
      writablePaths: null,
      decoyEtc: true,
    }
    const command = sandboxCommand(request.sandbox, asked, {})
    const result = await runSandboxed(command, { deadlineMs: DEADLINE_MS, signal: request.signal })
    const problem =
      result.setupError ??
      result.resourceLimit ??
      (result.timedOut ? `it took longer than ${DEADLINE_MS / 1000} s` : null)
    if (problem === null && result.exitCode === 0) return
    const why = problem ?? `it ended with exit code ${result.exitCode}. ${result.stderrTail.trim().slice(-MAX_SHOWN)}`
    throw new AgentEvalsError(
      'scaffold-failed',
      `The scaffold script ${scaffold.path} of ${request.label} failed: ${why} Correct the script, or run without --scaffold.`,
    )
  } finally {
    rmSync(copy, { recursive: true, force: true })
    rmSync(socket, { force: true })
  }
}

const CASE = 'case'
// Nothing listens there.
const NO_PORT = 9
const MAX_SHOWN = 500
