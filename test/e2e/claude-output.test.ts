// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verdicts } from '../support/eval-project.ts'
import { bash, createPackage, describeEvals, runEvals, write } from '../support/package-run.ts'
import { keptText } from '../support/kept-text.ts'

const SECRET = 'dt-real-1234567890'

describeEvals('what an agent leaves', () => {
  test('A8: is printed and kept without harm', async () => {
    const hostile = [
      'start \u001B[31mred \u001B]0;title\u0007 \u001B]8;;http://127.0.0.1\u0007link \u009B2J \u202Eback',
      '::error file=a.ts::pwned',
      '##[error]pwned',
      `the key is ${SECRET}`,
    ].join('\n')
    await using project = await createPackage({
      cases: {
        'a-speaks': {
          expected: { contains: ['absent'] },
          turns: [
            {
              tools: [
                bash(`touch "$(printf 'a\\033[31m\\n::error::b')" "$(printf '::error::c')"; echo ${SECRET} > key.txt`),
              ],
            },
            hostile,
          ],
        },
      },
    })
    const run = await runEvals(project, { DEPLOY_TOKEN: SECRET })
    expect(verdicts(run.report)).toEqual(['a-speaks FAIL'])
    expect(run.finished.raw.match(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/g)).toBeNull()
    expect(run.finished.raw.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([])
    expect(run.finished.raw).toContain('the key is [REDACTED:DEPLOY_TOKEN]')

    const kept = await readFile(join(project.root, run.run('a-speaks').folder ?? '', 'transcript.jsonl'), 'utf8')
    expect(`${run.finished.raw}${kept}${JSON.stringify(run.report)}`).not.toContain(SECRET)
    expect(run.case('a-speaks').agent_output_snippet).toBe(hostile.replace(SECRET, '[REDACTED:DEPLOY_TOKEN]'))
    expect(run.run('a-speaks').files.created.map(({ path }) => path)).toEqual([
      '::error::c',
      'a\u001B[31m\n::error::b',
      'key.txt',
    ])
  })

  test('H1: is told by content, and a link is no file', async () => {
    await using project = await createPackage({
      cases: {
        'a-files': {
          workspaceFiles: [
            { path: 'src/app.ts', content: 'one' },
            { path: 'src/same.ts', content: 'same' },
            { path: 'old.txt', content: 'old' },
          ],
          expected: { 'files-created': ['output/new.txt', 'output'] },
          turns: [
            { tools: [write('${WORKSPACE}/output/new.txt', 'new')] },
            { tools: [bash('echo two > src/app.ts; touch src/same.ts; rm old.txt')] },
            'done',
          ],
        },
        'b-link': {
          expected: { 'files-created': ['passwd'] },
          turns: [{ tools: [bash('ln -s /etc/passwd passwd; ln -s / root; mkfifo pipe')] }, 'done'],
        },
        'c-modified': {
          workspaceFiles: [{ path: 'src/app.ts', content: 'one' }],
          expected: { 'files-created': ['src/app.ts'] },
          turns: [{ tools: [bash('echo two > src/app.ts')] }, 'done'],
        },
      },
    })
    const run = await runEvals(project)
    expect(verdicts(run.report)).toEqual(['a-files PASS', 'b-link FAIL', 'c-modified FAIL'])
    const { created, modified, deleted, unreadable } = run.run('a-files').files
    expect([created, modified].map((files) => files.map(({ path, size }) => [path, size]))).toEqual([
      [['output/new.txt', 3]],
      [['src/app.ts', 4]],
    ])
    expect([deleted, unreadable]).toEqual([['old.txt'], []])
    expect(run.run('b-link').files).toMatchInlineSnapshot(`
      {
        "created": [],
        "deleted": [],
        "modified": [],
        "unreadable": [
          {
            "path": "passwd",
            "reason": "is a symbolic link",
          },
          {
            "path": "pipe",
            "reason": "is a named pipe",
          },
          {
            "path": "root",
            "reason": "is a symbolic link",
          },
        ],
      }
    `)
    expect(run.report.cases.map(({ error }) => error)).toMatchInlineSnapshot(`
      [
        null,
        "expected passwd to be created but it exists but is not a regular file: it is a symbolic link",
        "expected src/app.ts to be created but it existed before and was modified, not created",
      ]
    `)

    const kept = (name: string, path: string): string | null =>
      keptText(join(project.root, run.run(name).folder ?? ''), path)
    expect(kept('a-files', 'output/new.txt')).toBe('new')
    expect(kept('b-link', 'passwd')).toBeNull()
  })
})
