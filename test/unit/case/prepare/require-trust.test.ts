import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { requireTrust } from '../../../../src/case/prepare/prepare-run.ts'
import type { DeclaredCheck } from '../../../../src/checks/checks.ts'
import { pluginEvalCase } from '../../../support/plugin-eval/plugin-case.ts'

test('only plugins of the repository run without --trust-plugin', async () => {
  const plugin = { '.claude-plugin/plugin.json': '{"name":"p"}', 'evals/one/prompt.md': 'Say hi.\n' }
  const below = (folder: string): Record<string, string> =>
    Object.fromEntries(Object.entries(plugin).map(([path, text]) => [`${folder}/${path}`, text]))
  await using fixture = await createFixture({ ...below('own'), ...below('node_modules/theirs') })
  const root = fixture.path.replace(/\/$/, '')
  const ask = (folder: string, trustPlugin: boolean, further: readonly string[] = []): void => {
    const dir = `${root}/${folder}`
    const pluginDirs = [dir, ...further.map((one) => `${root}/${one}`)]
    const pluginEval = pluginEvalCase({ caseDir: `${dir}/evals/one`, evalsDir: `${dir}/evals`, pluginDirs })
    requireTrust({ checks: [], kind: 'plugin-eval', pluginEval }, { root, trustPlugin })
  }
  const untrusted = expect.objectContaining({
    code: 'untrusted-plugin',
    message: expect.stringContaining('--trust-plugin') as string,
  }) as Error

  expect(() => ask('own', false)).not.toThrow()
  expect(() => ask('node_modules/theirs', false)).toThrow(untrusted)
  expect(() => ask('own', false, ['node_modules/theirs'])).toThrow(untrusted)
  expect(() => ask('node_modules/theirs', true)).not.toThrow()

  const script = (folder: string): DeclaredCheck => {
    const files = { files: ['plugin.json'], folder: `${root}/${folder}/.claude-plugin` }
    return { kind: 'script', value: 'node a.mjs', timeout: 60, at: { line: 1, column: 1 }, ...files }
  }
  const run = (folder: string, trustPlugin: boolean) => (): void =>
    requireTrust({ kind: 'task', checks: [script(folder)] }, { root, trustPlugin })
  expect(run('own', false)).not.toThrow()
  expect(run('node_modules/theirs', false)).toThrow(untrusted)
  expect(run('node_modules/theirs', true)).not.toThrow()
})
