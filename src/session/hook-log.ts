import { parseDecisions } from '../engines/hooks/hook-decisions.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { readWorkspaceFile } from '../lib/workspace-file.ts'
import type { SessionEnd } from './session-end.ts'
import type { StagedAgent } from './stage-agent.ts'

/**
 * What the hook shim recorded and what mods did. The agent could write there too, so it is read as untrusted.
 *
 * Both throw {@link AgentEvalsError} `workspace-failed` when a file was replaced by something else.
 */
export interface HookLog {
  /** All decisions so far; what is new comes last. */
  readonly read: (seen: SessionEnd) => Promise<readonly RecordedDecision[]>
  /** Leaves out what there is now. */
  readonly skip: () => Promise<void>
}

/** Opens the log of a session. */
export function createHookLog({
  request,
  workspace,
  installation,
}: Pick<StagedAgent, 'installation' | 'request' | 'workspace'>): HookLog {
  const { engine, version } = request.engine
  const { config, hooks } = workspace
  const { mod } = installation.hookPlan
  const known: RecordedDecision[] = []
  const counts = { shim: 0, mods: 0 }
  const take = (from: keyof typeof counts, all: readonly RecordedDecision[]): void => {
    known.push(...all.slice(counts[from]))
    counts[from] = all.length
  }
  const read = async (seen: SessionEnd | null): Promise<readonly RecordedDecision[]> => {
    take('shim', parseDecisions(await readLines(hooks, 'decisions.jsonl')))
    if (mod === undefined || engine.mods === undefined) return known
    const results = (seen?.stream ?? []).flatMap((event) =>
      event.kind === 'tool-result' ? [[event.id, event.text] as const] : [],
    )
    const texts = (seen?.conversation?.threads ?? []).flatMap(({ turns }) => turns.flatMap((turn) => turn.texts))
    const session = { module: mod, version: seen?.summary.version ?? version, results: new Map(results), texts }
    take('mods', engine.mods.read(await readLines(config, engine.mods.log), session))
    return known
  }
  return {
    read,
    async skip() {
      await read(null)
      known.splice(0)
    },
  }
}

/** Reads a log of hooks; empty where there is none. */
export async function readLines(folder: string, file: string): Promise<string> {
  const read = await readWorkspaceFile(folder, file, MOST_BYTES)
  if (read.status === 'missing') return ''
  if (read.status === 'read') return read.bytes.toString('utf8')
  throw new AgentEvalsError(
    'workspace-failed',
    `The decisions of the hooks cannot be read: ${file} ${read.reason}. Something in the session replaced it.`,
  )
}

const MOST_BYTES = 16 * 1024 * 1024
