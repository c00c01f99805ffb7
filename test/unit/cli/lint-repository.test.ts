import { execFileSync } from 'node:child_process'
import { delimiter } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { findIssues } from '../../../src/cli/find-issues.ts'
import { loadSuites } from '../../../src/cli/load-suites.ts'

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

test('lint asks git once for 150 suites', async () => {
  const files = Array.from({ length: 150 }, (_, index): FileTree => {
    const name = `skill-${index}`
    return {
      [`skills/${name}/SKILL.md`]: skill(name),
      [`skills/${name}/evals/evals.json`]: evals(`case-${index}`),
    }
  })
  await using fixture = await createFixture({ ...Object.assign({}, ...files), '.gitignore': 'setup/.claude\n' })
  const root = fixture.path.replace(/\/$/, '')
  execFileSync('git', ['init', '-q'], { cwd: root })
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  await using bin = await createFixture({ git: `#!/bin/sh\necho "$1" >> "$0.log"\nexec ${git} "$@"\n`, 'git.log': '' })
  execFileSync('chmod', ['+x', bin.getPath('git')])
  vi.stubEnv('PATH', `${bin.path}${delimiter}${process.env['PATH'] ?? ''}`)
  try {
    await lint(root)
  } finally {
    vi.unstubAllEnvs()
  }
  const calls = (await bin.readFile('git.log', 'utf8')).split('\n').filter((line) => line !== '')
  expect(calls.filter((call) => call === 'check-ignore')).toEqual(['check-ignore'])
  expect(calls.length).toBeLessThanOrEqual(2)
})

test('lint says nothing about a normal plugin of Claude Code', async () => {
  const hooks = {
    description: 'Guards files.',
    hooks: {
      PreToolUse: [
        {
          matcher: 'Write|Edit',
          hooks: [{ type: 'command', command: '${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh', timeout: 5 }],
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
