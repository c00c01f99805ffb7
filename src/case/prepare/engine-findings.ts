import { isProgram, type FoundEngine } from '../../engines/find/find.ts'
import { isNativeProgram } from '../../engines/find/native-program.ts'
import { describeLosses } from '../../engines/find/version-support.ts'
import type { SandboxDecision } from '../../sandbox/sandbox.ts'

/** What a run lacks for the version and the kind of its program, one sentence each. */
export function engineFindings(found: FoundEngine, { backend }: Pick<SandboxDecision, 'backend'>): readonly string[] {
  if (!isProgram(found)) return []
  const { engine, executable } = found
  const isHidden = backend !== 'none' && engine.resolveExecutable !== undefined && !isNativeProgram(executable)
  const script = `${executable} is a script, and the program that it starts was not found. The sandbox contains only the script. Set \`engines: { '${engine.name}': PATH }\` in the plugin's options to the program itself.`
  return [...describeLosses(found), ...(isHidden ? [script] : [])]
}
