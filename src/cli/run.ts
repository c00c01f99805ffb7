import { resolve } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { resolveOptions } from '../vitest/plugin/resolve-options.ts'
import { formatOptions } from './help.ts'
import { loadSuites } from './load-suites.ts'
import { requireTarget, resolveFilter } from './resolve-filters.ts'
import { readRunArguments, RUN_FLAGS } from './run-arguments.ts'
import type { Command } from './command.ts'

/** `agent-evals run`: the evals, and nothing but them, with Vitest. */
export const run: Command = {
  name: 'run',
  aliases: ['eval'],
  usage: '[filter...] [options] [options of vitest]',
  summary: 'Run evals: all, or those of a case name, an agent or a path.',
  details: [
    'A filter is an exact case name or id, else an agent, else a part of a path, such as evals/cases/x.yaml:3.',
    'No configuration is needed; a vitest.config.ts is used where there is one.',
    '',
    ...formatOptions([
      ['--engine NAME', 'agent runtime, over that of eval-config.json'],
      ['--model ID', "the agent's model"],
      ['--judge [PROVIDER:]MODEL', 'model that judges'],
      ['--target KIND:NAME', 'only cases of this target, such as skill:pdf-tools'],
      ['--source SOURCE', 'where answers come from: auto, replay, record or live; also --live, --record'],
      ['--dry-run', 'show what would run, start nothing'],
      ['--report, -o FILE', 'write the report to FILE; --no-report writes none'],
      ['--timeout SECONDS', 'for cases that name none themselves'],
      ['--shard I/N', 'only this part of the cases; put together with agent-evals merge'],
      ['--max-cost-usd AMOUNT', 'start nothing more once this is spent'],
      ['--concurrency N', 'runs at the same time'],
      ['--sandbox KIND', 'auto, prefer, bubblewrap, sandbox-runtime or none'],
      ['--keep-workspace', 'keep the workspaces of finished runs'],
    ]),
    '',
    `Each can be said in the environment too: ${RUN_FLAGS.slice(0, 2)
      .map(({ variable }) => variable)
      .join(', ')} ...`,
    'Exit code: 1 when a case failed; else 2 when one could not be completed or nothing ran; 130 when stopped.',
  ],
  async run(argv) {
    const { environment, rest } = readRunArguments(argv, process.cwd())
    Object.assign(process.env, environment)
    const { target } = checkOptions()

    // Vitest is slow to load: a mistake in what we were told is said before.
    const { readVitestArguments } = await import('../vitest/command/vitest-arguments.ts')
    const { filters, options } = readVitestArguments(rest)
    const root = resolve(typeof options.root === 'string' ? options.root : '.')
    // Whoever names projects may mean other files than evals.
    const chosen = options.project === undefined ? await choose(filters, target, root) : filters

    const { startEvals } = await import('../vitest/command/start-evals.ts')
    return startEvals({ filters: chosen, options: { ...options, includeTaskLocation: true } })
  },
}

async function choose(filters: readonly string[], target: string | null, root: string): Promise<readonly string[]> {
  if (filters.length === 0 && target === null) return []
  const searched = await loadSuites(root)
  if (target !== null) requireTarget(target, searched)
  return filters.flatMap((filter) => resolveFilter(filter, searched).filters)
}

// The plugin reads the same variables; here a mistake is told in the words of the command line.
function checkOptions(): { readonly target: string | null } {
  try {
    return resolveOptions({}, process.env)
  } catch (error) {
    if (!(error instanceof AgentEvalsError)) throw error
    const flag = RUN_FLAGS.find(({ variable }) => error.message.startsWith(`${variable} `))
    if (flag === undefined) throw error
    // What is no number is told as it was written.
    const written = JSON.stringify(process.env[flag.variable] ?? null)
    const message = error.message.replace(`${flag.variable} is null`, `${flag.variable} is ${written}`)
    throw new AgentEvalsError(error.code, message.replace(flag.variable, `--${flag.name}`), { cause: error })
  }
}
