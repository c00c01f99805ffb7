import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectCommand, quote, rerunAllCommand, rerunCommand } from '../../../src/report/rerun-command.ts'

const start = {
  cwd: '/home/me/repo',
  root: '/home/me/repo',
  configFile: '/home/me/repo/vitest.config.ts',
  project: 'evals',
}

test('our own program needs neither a configuration nor the name of its project', () => {
  const program = '/home/me/repo/node_modules/.bin/agent-evals'
  expect(projectCommand({ ...start, program })).toBe('npx vitest-agent-evals run')
  expect(projectCommand({ ...start, program, project: 'assert' })).toBe('npx vitest-agent-evals run --project assert')
  expect(projectCommand({ ...start, program, cwd: '/home/me' })).toBe('npx vitest-agent-evals run --root repo')
})

test('the usual start needs no more than the project', () => {
  expect(projectCommand(start)).toBe('npx vitest run --project evals')
  expect(projectCommand({ ...start, configFile: null })).toBe('npx vitest run --project evals')
  expect(projectCommand({ ...start, configFile: '/home/me/repo/vite.config.mjs' })).toBe(
    'npx vitest run --project evals',
  )
})

test('another root and another configuration are named, quoted for a shell', () => {
  expect(
    projectCommand({ ...start, root: '/home/me/repo/my evals', configFile: '/home/me/repo/my evals/vitest.config.ts' }),
  ).toBe('npx vitest run --root "my evals" --project evals')
  expect(projectCommand({ ...start, configFile: '/home/me/repo/config/vitest.ts', project: "it's" })).toBe(
    `npx vitest run --config config/vitest.ts --project "it's"`,
  )
  expect(projectCommand({ ...start, cwd: '/home/me' })).toBe('npx vitest run --root repo --project evals')
})

test('a case is named by its file and line, from where Vitest was started', () => {
  const planned = { file: 'evals/cases/a b.yaml', at: { line: 3, column: 7 } }
  const command = 'npx vitest run'
  expect(rerunCommand(planned, { command, cwd: '/repo', root: '/repo' })).toBe(
    'npx vitest run "evals/cases/a b.yaml:3"',
  )
  expect(rerunCommand(planned, { command, cwd: '/repo', root: '/repo/sub' })).toBe(
    'npx vitest run "sub/evals/cases/a b.yaml:3"',
  )
})

test('a case that shares its line is named by its column, or by its name where Vitest reads the filter', () => {
  const planned = { file: 'evals.json', at: { line: 1, column: 40 }, name: 'b (1+1)', sharesLine: true } as const
  const place = { cwd: '/repo', root: '/repo' }
  const ours = 'npx vitest-agent-evals run'
  expect(rerunCommand(planned, { ...place, command: ours })).toBe(`${ours} evals.json:1:40`)
  const theirs = 'npx vitest run --project evals'
  expect(rerunCommand(planned, { ...place, command: theirs })).toBe(
    String.raw`${theirs} evals.json:1 -t "^b \(1\+1\)$"`,
  )
  const named = `${ours} --project assert`
  expect(rerunAllCommand([planned, { ...planned, name: 'c' }], { ...place, command: named })).toBe(
    String.raw`${named} evals.json:1 -t "^(b \(1\+1\)|c)$"`,
  )
})

test('the engine is named where the usual one is not what ran', () => {
  const planned = { file: 'a.yaml', at: { line: 3, column: 7 }, engineName: 'codex' }
  const place = { command: 'npx vitest run', cwd: '/repo', root: '/repo' }
  const on = (environment: readonly string[] | null, option: readonly string[] | null): string =>
    rerunCommand(planned, { ...place, engineMatrix: { environment, option } })
  expect(on(null, ['codex'])).toBe('npx vitest run a.yaml:3')
  expect(on(null, ['claude-code', 'codex'])).toBe('npx vitest-agent-evals run --engine codex a.yaml:3')
  expect(on(['codex'], null)).toBe('npx vitest-agent-evals run --engine codex a.yaml:3')
})

test('a rerun repeats the source by a flag that every shell takes, and is short for many cases', () => {
  const place = { command: 'npx vitest run --root sub --project evals', cwd: '/repo', root: '/repo/sub' }
  const planned = (line: number): Parameters<typeof rerunCommand>[0] => ({ file: 'a.yaml', at: { line, column: 1 } })
  expect(rerunCommand(planned(3), place, 'live')).toBe('npx vitest-agent-evals run --root sub --live sub/a.yaml:3')
  expect(rerunAllCommand([1, 2].map(planned), place, 'record')).toBe(
    'npx vitest-agent-evals run --root sub --record sub/a.yaml:1 sub/a.yaml:2',
  )
  expect(rerunAllCommand([1, 2, 3, 4, 5, 6].map(planned), place, 'record')).toBe(
    'npx vitest-agent-evals run --root sub --source auto',
  )
})

test('a case whose place no shell would take alike is named by its folder and its name', () => {
  const place = { cwd: '/repo', root: '/repo', command: 'npx vitest-agent-evals run' }
  const planned = { file: 'evals/cases/$id.yaml', at: { line: 3, column: 7 } }
  expect(rerunCommand({ ...planned, name: 'costs $5 (100%)' }, place, 'live')).toBe(
    String.raw`npx vitest-agent-evals run --live evals/cases/ -t "^costs .5 \(100.\)$"`,
  )
  const elsewhere = { file: '`x`/a.yaml', at: { line: 1, column: 1 }, name: 'b' }
  expect(rerunAllCommand([{ ...planned, name: 'a' }, elsewhere], place)).toBe('npx vitest-agent-evals run -t "^(a|b)$"')
  const theirs = { ...place, command: 'npx vitest run --project evals' }
  expect(rerunCommand({ ...planned, name: 'it\'s "quoted"!' }, theirs)).toBe(
    `npx vitest run --project evals evals/cases/ -t "^it's .quoted..$"`,
  )
})

test.for([
  'plain.yaml:3',
  'a b.yaml:3',
  "it's (1) & ü; x | y < z > ^ # ~ * ? [a] {b}.yaml",
  'codex,claude-code',
  '@scope/evals',
  '-t',
  '^(a|b \\(1\\+1\\))$',
])('%s is one argument to sh, and is free of what PowerShell and cmd.exe read in quotes', (argument) => {
  const quoted = quote(argument)
  const heard = execFileSync('sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' })
  expect(heard).toBe(argument)
  const [, inside] = /^"(.*)"$/.exec(quoted) ?? []
  // Outside of quotes only what no shell looks at.
  if (inside === undefined) expect(quoted).toMatch(/^[\w./:+=-]+$/)
  else expect(inside).toMatch(/^[^"`%!$]*\$?$/)
})
