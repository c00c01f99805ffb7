import { isJsonObject, type JsonObject } from '../../json.ts'
import { stringOf } from '../../json-fields.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import type { HookRun } from '../hooks/hook-coverage.ts'

/** Counts the hooks that gave no verdict and that the shim knows nothing of: prompt hooks, and a shim that broke. */
export class NativeHooks {
  withoutVerdict = 0
  /** All that ended, in order. */
  readonly runs: HookRun[] = []
  private readonly explained = new Map<string, number>()

  /** A command hook ended. All of ours are the shim, which says itself what its hook did. */
  response(line: JsonObject): void {
    const { exit_code: exitCode, outcome } = line
    const native = stringOf(line['hook_event'])
    const [, tool = null] = /^\w+ToolUse:(.*)$/.exec(stringOf(line['hook_name'])) ?? []
    this.runs.push({
      event: findHookEvent(native)?.name ?? native,
      tool,
      exitCode: typeof exitCode === 'number' ? exitCode : null,
    })
    if (outcome === 'cancelled' || stringOf(line['stderr']).includes('agent-evals hook shim:')) this.withoutVerdict += 1
    if (exitCode === 0 || exitCode === 2) return
    this.explained.set(native, (this.explained.get(native) ?? 0) + 1)
  }

  /** The CLI says that some hook gave no verdict, but not which. */
  informational(line: JsonObject): void {
    const verdict = line['hook_no_verdict']
    if (!isJsonObject(verdict)) return
    const event = stringOf(verdict['hook_event'])
    const explained = this.explained.get(event) ?? 0
    if (explained === 0) this.withoutVerdict += 1
    else this.explained.set(event, explained - 1)
  }
}
