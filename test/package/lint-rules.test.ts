import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

/** One deliberately bad file for each rule of the house, and one good twin where the rule has an exception. */
const FILES: Record<string, { text: string; findings: string[] }> = {
  'src/errors.ts': upwards('./json.ts'),
  'src/process.ts': upwards('./suites/suite.ts'),
  'src/run-case.ts': upwards('./vitest/provided.ts'),
  'src/run-trigger.ts': upwards('./cli/main.ts'),
  'src/transcript/up.ts': upwards('../checks/check.ts'),
  'src/statistics/up.ts': upwards('../report/result.ts'),
  'src/suites/up.ts': upwards('../inputs/input.ts'),
  'src/suites/formats/up.ts': upwards('../../gateway/lease.ts'),
  'src/inputs/up.ts': upwards('../workspace/stage.ts'),
  'src/workspace/up.ts': upwards('../sandbox/sandbox.ts'),
  'src/workspace/engine-value.ts': upwards('../engines/engine.ts'),
  'src/sandbox/up.ts': upwards('../engines/engine.ts'),
  'src/engines/up.ts': upwards('../recordings/recording.ts'),
  'src/engines/claude-code/up.ts': upwards('../../judges/judge.ts'),
  'src/recordings/up.ts': upwards('../engines/engine.ts'),
  'src/recordings/store.ts': upwards('../checks/check.ts'),
  'src/gateway/up.ts': upwards('../checks/check.ts'),
  'src/gateway/wires/up.ts': upwards('../../judges/judge.ts'),
  'src/checks/up.ts': upwards('../judges/judge.ts'),
  'src/judges/up.ts': upwards('../report/result.ts'),
  'src/report/up.ts': upwards('../run-case.ts'),
  'src/session/up.ts': upwards('../run-agent.ts'),
  'src/vitest/up.ts': upwards('../cli/main.ts'),
  'src/vitest/runtime/main-process.ts': upwards('../plugin/options.ts'),
  'src/vitest/runtime/node.ts': upwards('vitest/node'),
  'src/vitest/plugin/worker.ts': upwards('../runtime/test-case.ts'),
  'src/vitest/plugin/vitest.ts': upwards('vitest'),
  'src/workspace/engine-type.ts': good(
    "import type { Engine } from '../engines/engine.ts'\nexport type Layout = Engine\n",
  ),
  'src/cli/down.ts': good(
    "import { run } from '../vitest/run.ts'\nimport { fold } from '../report/fold.ts'\nrun(fold)\n",
  ),

  'src/engines/execa.ts': upwards('execa'),
  'src/engines/child-process.ts': upwards('node:child_process'),
  'src/report/yaml.ts': upwards('yaml'),
  'src/gateway/tmp.ts': upwards('tmp'),
  'src/gateway/sdk.ts': upwards('@anthropic-ai/sdk'),
  'src/gateway/clients/sdk.ts': good("import { OpenAI } from 'openai'\nexport const client = [OpenAI]\n"),
  'src/judges/sdk.ts': upwards('@anthropic-ai/sdk'),
  'src/session/asks.ts': good(
    "import type { AgentRequest } from '../run-agent.ts'\nexport type Asked = AgentRequest\n",
  ),
  'src/suites/tinyglobby.ts': upwards('tinyglobby'),
  'src/run-again.ts': upwards('vitest'),
  'src/process/execa.ts': upwards('execa'),
  'src/engines/hook-shim.ts': good("import { spawn } from 'node:child_process'\nexport const start = [spawn]\n"),
  'src/suites/discover.ts': good(
    "import { glob } from 'tinyglobby'\nimport { parse } from 'yaml'\nexport const found = [glob, parse]\n",
  ),
  'src/workspace/folder.ts': good("import { dir } from 'tmp'\nexport const make = [dir]\n"),
  'src/test.ts': good("import { expect } from 'vitest'\nexport const run = [expect]\n"),

  'src/checks/reads.ts': upwards('node:fs'),
  'src/recordings/opens.ts': upwards('node:http'),
  'src/transcript/clock.ts': { text: 'export const now = Date.now()\n', findings: ['no-restricted-globals'] },
  'src/suites/formats/environment.ts': {
    text: "export const home = process.env['HOME']\n",
    findings: ['no-restricted-globals'],
  },

  'src/cycle-a.ts': {
    text: "import { b } from './cycle-b.ts'\nexport const a = (): number => b()\n",
    findings: ['no-cycle'],
  },
  'src/cycle-b.ts': {
    text: "import { a } from './cycle-a.ts'\nexport const b = (): number => a()\n",
    findings: ['no-cycle'],
  },
  'src/long.ts': { text: 'export const a = 1\n'.padEnd(300, '\n'), findings: ['max-lines'] },
  'src/CamelCase.ts': { text: 'export const a = 1\n', findings: ['filename-case'] },
  'src/any.ts': { text: 'export const a = (value: any): void => value()\n', findings: ['no-explicit-any'] },
  'src/ignore.ts': { text: '// @ts-ignore\nexport const a: string = 1\n', findings: ['ban-ts-comment'] },
  'src/default.ts': { text: 'export default 1\n', findings: ['no-default-export'] },
  'src/floating.ts': {
    text: 'const wait = async (): Promise<void> => {}\nwait()\n',
    findings: ['no-floating-promises'],
  },
  'src/misused.ts': {
    text: 'const wait = async (): Promise<boolean> => true\nif (wait()) throw new Error("never")\n',
    findings: ['no-misused-promises'],
  },
  'src/exhaustive.ts': {
    text: "export function f(a: 'x' | 'y'): void {\n  switch (a) {\n    case 'x':\n      return\n  }\n}\n",
    findings: ['switch-exhaustiveness-check'],
  },
  'src/type-import.ts': {
    text: "import { Suite } from './suites/suite.ts'\nexport type One = Suite\n",
    findings: ['consistent-type-imports'],
  },
}

function upwards(specifier: string): { text: string; findings: string[] } {
  return { text: `import { a } from '${specifier}'\nexport const b = [a]\n`, findings: ['no-restricted-imports'] }
}

function good(text: string): { text: string; findings: string[] } {
  return { text, findings: [] }
}

test('every rule of the house fires on a bad file, and only there', async () => {
  const sources: FileTree = Object.fromEntries(Object.entries(FILES).map(([path, { text }]) => [path, text]))
  await using project = await createFixture({
    '.oxlintrc.json': ({ symlink }) => symlink(join(REPOSITORY, '.oxlintrc.json')),
    'tsconfig.json': ({ symlink }) => symlink(join(REPOSITORY, 'tsconfig.json')),
    node_modules: ({ symlink }) => symlink(join(REPOSITORY, 'node_modules')),
    ...sources,
  })

  const found = findingsByFile(await oxlint(project.path))

  expect(found).toEqual(Object.fromEntries(Object.entries(FILES).map(([path, { findings }]) => [path, findings])))
})

function oxlint(cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(OXLINT, ['--type-aware', '--format', 'json', 'src'], { cwd }, (_, stdout) => resolve(stdout))
  })
}

function findingsByFile(report: string): Record<string, string[]> {
  const { diagnostics } = JSON.parse(report) as { diagnostics: { code: string; filename: string }[] }
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(FILES).map((path) => [path, []]))
  for (const { code, filename } of diagnostics) {
    const rule = /\((.+)\)/.exec(code)?.[1] ?? code
    const rules = (found[filename] ??= [])
    if (!rules.includes(rule)) rules.push(rule)
  }
  return found
}

const OXLINT = join(REPOSITORY, 'node_modules/.bin/oxlint')
