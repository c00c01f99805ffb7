import { variablesOf, type InstalledEngine } from './conformance/matrix.ts'
import { MODELS } from './attacks/script.ts'
import { config } from './eval-project.ts'
import { streamTurn } from './model-apis.ts'
import { createPackage, runEvals, type PackageRun } from './package-run.ts'
import { startRawUpstream, type RawUpstream } from './raw-upstream.ts'

/** Sessions of one engine that have ended. */
export interface LiveRun extends PackageRun {
  readonly upstream: RawUpstream
}

export interface LiveSetup {
  /** Names of the sessions, each of which runs a command and ends. */
  readonly names: readonly string[]
  /** The credential that the gateway is given. */
  readonly key?: string
  /** The variable that holds it, besides OPENAI_API_KEY. @default ANTHROPIC_API_KEY */
  readonly variable?: string | undefined
  /** @default a model whose price is known */
  readonly model?: string | undefined
}

/** Runs sessions of an engine at once, against an API on a bare socket. */
export async function runLive(engine: InstalledEngine, setup: LiveSetup): Promise<LiveRun> {
  const { names, key = 'sk-real-1234567890abcdef', variable = 'ANTHROPIC_API_KEY' } = setup
  const asked = new Map<string, number>()
  await using upstream = await startRawUpstream(({ target, body }) => {
    const session = /This is session ([a-z-]+)\./.exec(body)?.[1] ?? ''
    const before = asked.get(session) ?? 0
    asked.set(session, before + 1)
    const turns = [engine.shell('echo fine'), `${session} is done`]
    const path = target.split('?')[0] ?? ''
    return { type: 'text/event-stream', body: streamTurn({ path, body }, turns, before) }
  })
  const options = { sandbox: 'prefer', concurrency: 8, timeout: 120, engines: { [engine.name]: engine.path } }
  await using project = await createPackage({
    cases: {},
    files: { 'evals/sessions.eval.ts': liveTests(names), 'vitest.config.ts': config(JSON.stringify(options)) },
  })
  const run = await runEvals(project, {
    AGENT_EVALS_ENGINE: engine.name,
    AGENT_EVALS_SOURCE: 'live',
    AGENT_EVALS_MODEL: setup.model ?? MODELS[engine.name] ?? '',
    ...(await variablesOf([engine])),
    ANTHROPIC_BASE_URL: upstream.url,
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    [variable]: key,
    OPENAI_API_KEY: key,
  })
  return { ...run, upstream }
}

/** A file of tests whose prompts name their sessions to the API. */
export function liveTests(names: readonly string[]): string {
  return `import { expect, test } from 'vitest-agent-evals/test'

for (const name of ${JSON.stringify(names)})
  test.concurrent(name, async ({ agent }) => {
    expect(await agent.run('This is session ' + name + '.')).toContainOutput(name + ' is done')
  })
`
}
