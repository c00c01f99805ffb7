import { renameSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '../../lib/errors.ts'
import type { AgentRequest } from '../../session/agent-request.ts'
import { missingScript } from '../free-tests/script.ts'
import { fixtureFiles, type NamedFile } from '../../session/inputs/fixture-files.ts'
import { scriptCommand } from '../../sandbox/decide.ts'
import { runSandboxed } from '../../sandbox/run.ts'
import { createWorkspace } from '../../session/workspace.ts'
import { copyInto } from '../../session/stage-base.ts'
import type { ScriptEnd, ScriptFields } from '../../checks/script.ts'
import type { DeclaredCheck } from '../../checks/checks.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** The files that the scripts of a case need. */
export function scriptFiles(checks: readonly DeclaredCheck[]): readonly NamedFile[] {
  return checks.flatMap((check) =>
    check.kind === 'script' ? check.files.map((to) => ({ from: join(check.folder, to), to, at: check.at })) : [],
  )
}

/**
 * Runs a script of a check in a sandbox of its own without a network: home and temporary folder are new, its files are
 * read-only copies, and the agent's workspace is lent to it, read-only where the sandbox enforces that. What the agent
 * has planted beside its workspace is not there.
 */
export async function runCheckScript(
  request: Pick<AgentRequest, 'sandbox' | 'signal' | 'suite'>,
  { value: run, files, folder, timeout }: ScriptFields,
  workspace: string,
  { transcript }: Pick<AgentRun, 'transcript'>,
): Promise<ScriptEnd> {
  await using place = createWorkspace()
  const named = files.map((to) => ({ from: join(folder, to), to, at: { line: 1, column: 1 } }))
  const declaration = { packageRoot: dirname(folder), caseFile: request.suite.file }
  for (const file of fixtureFiles(named, declaration)) copyInto(place.package, file.to, file)
  rmdirSync(place.workspace)
  renameSync(workspace, place.workspace)
  try {
    const command = scriptCommand(request.sandbox, place.root, (inside) => ({
      arguments: ['-c', 'cd "$0" && exec /bin/bash -c "$1"', inside.package, run],
      env: { WORKSPACE: inside.workspace },
      writablePaths: [],
    }))
    const stdin = JSON.stringify(transcript)
    const result = await runSandboxed(command, { deadlineMs: timeout * 1000, signal: request.signal, stdin })
    const missing = result.exitCode === 0 ? null : missingScript(run, place.package, command.env)
    const { exitCode, stdoutTail: stdout, stderrTail: stderr } = result
    const problem =
      (result.spawnError === null ? null : `did not start: ${result.spawnError.message}`) ??
      (result.setupError === null ? null : `did not start: the sandbox says ${result.setupError}`) ??
      (result.resourceLimit === null ? null : `was stopped: ${result.resourceLimit}`) ??
      (result.aborted ? 'was cancelled' : null) ??
      (result.timedOut ? `took longer than ${timeout} s` : null) ??
      (missing === null ? null : `names ${missing}, which is none of its files`) ??
      (stdout.length + stderr.length >= MOST_PRINTED ? 'printed more than 1 MiB' : null)
    return { exitCode, stdout, stderr: problem === null ? stderr : '', problem }
  } catch (error) {
    return { exitCode: null, stdout: '', stderr: '', problem: `did not start: ${messageOf(error)}` }
  } finally {
    renameSync(place.workspace, workspace)
  }
}

const MOST_PRINTED = 1024 ** 2
