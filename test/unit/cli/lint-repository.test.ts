import { execFileSync } from 'node:child_process'
import { delimiter } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { findIssues } from '../../../src/cli/lint/find-issues.ts'
import { loadSuites } from '../../../src/cli/find/search.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name}.\n`
const evals = (id: string): string =>
  JSON.stringify({ evals: [{ id, prompt: 'Do it.', expectations: ['It names the place.'] }] })

async function lint(root: string): Promise<readonly string[]> {
  const loaded = await loadSuites(root)
  const { issues } = await findIssues(loaded)
  return [
    ...issues.map(({ file, line, code, message }) => `${file.slice(root.length + 1)}:${line} ${code}: ${message}`),
    ...loaded.notes.map(({ message }) => message),
  ]
}

/** The commands of git that run while `run` does, in a new repository. */
async function countGitCalls(root: string, run: () => Promise<void>): Promise<readonly string[]> {
  execFileSync('git', ['init', '-q'], { cwd: root })
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\nbefore=\nfor word; do case $before$word in -*) ;; *) echo "$word" >> "$0.log"; break;; esac; case $word in -c) before=$word;; *) before=;; esac; done\nexec ${git} "$@"\n`
  await using bin = await createFixture({ git: script, 'git.log': '' })
  execFileSync('chmod', ['+x', bin.getPath('git')])
  vi.stubEnv('PATH', `${bin.path}${delimiter}${process.env['PATH'] ?? ''}`)
  try {
    await run()
  } finally {
    vi.unstubAllEnvs()
  }
  return (await bin.readFile('git.log', 'utf8')).split('\n').filter((line) => line !== '')
}

test('lint asks git once for all paths of 150 suites', async () => {
  const files = Array.from({ length: 150 }, (_, index): FileTree => {
    const name = `skill-${index}`
    const overlay = index % 2 === 0 ? {} : { [`skills/${name}/evals/setup/notes.md`]: 'Notes.\n' }
    return {
      [`skills/${name}/SKILL.md`]: skill(name),
      [`skills/${name}/evals/evals.json`]: evals(`case-${index}`),
      ...overlay,
    }
  })
  await using fixture = await createFixture({ ...Object.assign({}, ...files), '.gitignore': 'setup/.claude\n' })
  const root = fixture.path.replace(/\/$/, '')
  const calls = await countGitCalls(root, async () => void (await lint(root)))
  expect(calls.toSorted()).toEqual(['check-ignore'])
})

test('lint says nothing about a normal plugin of Claude Code', async () => {
  const hooks = {
    description: 'Guards files.',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Write|Edit',
          hooks: [{ type: 'command', command: '"${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh"', timeout: 5 }],
        },
      ],
    },
  }
  await using fixture = await createFixture({
    '.claude-plugin/plugin.json': '{ "name": "office", "version": "1.2.0", "description": "Office work." }',
    '.mcp.json': '{ "mcpServers": { "files": { "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/server.js"] } } }',
    'server.js': '',
    'hooks/hooks.json': JSON.stringify(hooks),
    'hooks/guard.sh': '#!/bin/sh\nexit 0\n',
    'commands/report.md': '---\ndescription: Writes a report.\nargument-hint: [month]\n---\nWrite the report of $1.\n',
    'agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews texts.\ntools: Read, Grep\n---\nReview it.\n',
    'agents/tests/reviewer.md': '# Notes of what to try\n',
    'skills/documents/pdf/SKILL.md': skill('pdf'),
    'skills/documents/pdf/scripts/extract.py': '',
    'skills/documents/pdf/evals/evals.json': evals('one'),
    'skills/documents/docx/SKILL.md': skill('docx'),
    'skills/notes/SKILL.md': skill('notes'),
    'README.md': '# Office\n',
  })
  const root = fixture.path.replace(/\/$/, '')
  await fixture.writeFile('hooks/guard.sh', '#!/bin/sh\nexit 0\n')
  execFileSync('chmod', ['+x', fixture.getPath('hooks/guard.sh')])
  expect(await lint(root)).toEqual([])
})

test('a line of .gitignore that hides evals is named with the line that would show them', async () => {
  const suite = (name: string): FileTree => ({
    [`skills/${name}/SKILL.md`]: skill(name),
    [`skills/${name}/evals/evals.json`]: evals(name),
  })
  const of = async (ignored: string, more: FileTree = {}): Promise<readonly string[]> => {
    await using fixture = await createFixture({ ...suite('s'), ...suite('t'), ...more, '.gitignore': ignored })
    const root = fixture.path.replace(/\/$/, '')
    execFileSync('git', ['init', '-q'], { cwd: root })
    return (await lint(root)).filter((line) => line.includes('ignored-evals'))
  }
  expect(await of('dist\nevals/\n')).toEqual([
    '.gitignore:2 ignored-evals: "evals/" hides skills/s/evals/evals.json and 1 more from git, so a clone, as in CI, holds no such evals. Add the line !**/evals/ below it',
  ])
  expect(await of('*.json\n')).toEqual([
    expect.stringMatching(
      /^\.gitignore:1 ignored-evals: "\*\.json" hides .* Add the line !\*\*\/evals\/\*\* below it$/,
    ),
  ])
  expect(await of('evals/\n!**/evals/\n')).toEqual([])
  // A build, ignored as a whole, is a copy.
  const copy = Object.fromEntries(Object.entries(suite('copy')).map(([path, text]) => [`dist/${path}`, text]))
  expect(await of('dist/\n', copy)).toEqual([])
})
