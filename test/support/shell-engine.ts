import type { FileTree } from 'fs-fixture'
import { config, PACKAGE } from './eval-project.ts'
import { lineEngine } from './line-engine.ts'

/** The option `engines` for the engine of {@link shellCases}. */
export const SHELL_ENGINE = { shell: { module: './shell-engine.mjs', executable: '/bin/sh' } } as const

/** Variables that run every case by that engine, and judge it by scenarios. */
export const SHELL_VARIABLES = { AGENT_EVALS_ENGINE: 'shell', AGENT_EVALS_JUDGE: 'claude-sonnet' } as const

/**
 * A vitest.config.ts whose cases run by that engine and are judged by scenarios; `options` are further ones of the
 * plugin, `rest` is more of the configuration.
 */
export function shellConfig(options: object = {}, rest = ''): string {
  const own = { sandbox: 'prefer', engine: 'shell', judge: 'claude-sonnet', engines: SHELL_ENGINE }
  return config(JSON.stringify({ ...own, ...options }), rest)
}

/** A package without cases that has this configuration. */
export const SHELL_PACKAGE: Readonly<Record<string, string>> = { ...PACKAGE, 'vitest.config.ts': shellConfig() }

/**
 * Cases whose agent is a shell and whose prompt is its script: a session that takes milliseconds, for tests that ask
 * what becomes of a run and not what an agent does. A case passes when the script prints `Hello`.
 */
export function shellCases(scripts: Readonly<Record<string, string>>): FileTree {
  const judge = 'judge:\n  - - verdict: pass\n      reason: It greets.\n      quote: Hello\n'
  return {
    'shell-engine.mjs': ENGINE,
    ...Object.fromEntries(
      Object.entries(scripts).flatMap(([name, script]) => [
        [`evals/cases/${name}.yaml`, caseOf(name, script)],
        [`evals/scenarios/${name}.yaml`, `turns: [Hello]\n${judge}`],
      ]),
    ),
  }
}

function caseOf(name: string, script: string): string {
  const prompt = JSON.stringify(script)
  return `name: ${name}\ninput:\n  prompt: ${prompt}\nexpected:\n  contains: [Hello]\njudge:\n  criteria: It greets.\n`
}

const ENGINE = lineEngine(`
  name: 'shell',
  executable: 'sh',
  versionArguments: ['-c', 'echo 1.0.0'],
  parseVersion: (text) => text.trim(),
  command: ({ prompt, env }) => ({ arguments: ['-c', prompt], env, stdin: '' }),
`)
