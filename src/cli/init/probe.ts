import { DEFAULT_ENGINE } from '../../engines/default-engine.ts'
import { findEngine } from '../../engines/find/find.ts'
import { decideSandbox } from '../../sandbox/decide.ts'
import { messageOf } from '../../errors.ts'

/** What the machine offers, one line each for people. */
export interface Probed {
  readonly engine: string
  readonly sandbox: string
  /** Whether something is missing without which nothing runs. */
  readonly isReady: boolean
}

/** Looks for the engine and tries the sandbox, as a run does. */
export async function probeMachine(root: string): Promise<Probed> {
  const environment = process.env
  const engine = await findEngine(DEFAULT_ENGINE, { environment, root }).then(
    ({ engine: { name }, version }) => ({ text: `${name} ${version ?? '(unknown version)'}`, isFound: true }),
    (error: unknown) => ({ text: messageOf(error), isFound: false }),
  )
  const sandbox = await decideSandbox('auto', { environment, root }).then(
    ({ enforced, notice }) => notice ?? enforced,
    (error: unknown) => messageOf(error),
  )
  return { engine: engine.text, sandbox, isReady: engine.isFound }
}
