// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verdicts } from '../support/eval-project.ts'
import { bash, createPackage, describeEvals, runEvals, write } from '../support/package-run.ts'
import { keptText } from '../support/kept-text.ts'

describeEvals('what an agent leaves', () => {
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
    for (const { runs } of run.report.cases) {
      const timings = await readFile(join(project.root, runs[0]?.folder ?? '', 'timings.json'), 'utf8')
      const times = Object.values((JSON.parse(timings) as { readonly events: Record<string, number> }).events)
      // What happened is within the time of the run, however long its process took to be started.
      expect(times.length).toBeGreaterThan(2)
      expect(Math.max(...times)).toBeLessThanOrEqual(1000 * (runs[0]?.duration_seconds ?? 0) + 1)
    }
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
