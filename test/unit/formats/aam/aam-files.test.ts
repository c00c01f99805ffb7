import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { CASE, createPackage, issuesOf, loadCase, issueLines } from '../../../support/aam-fixture.ts'

const withInput = (lines: string): string => CASE.replace('  prompt: Do it.\n', `  prompt: Do it.\n${lines}\n`)

test('a fixture has its path as seen from `evals/` and as seen from the package; what the case puts there wins', async () => {
  await using fixture = await createPackage(
    withInput('  files: [fixtures, notes.txt]\n  workspace-files: [{ path: evals/notes.txt, content: mine }]'),
    { 'evals/fixtures/deep/a.pdf': '', 'evals/notes.txt': '' },
  )
  const { cases, issues } = await loadCase(fixture)
  expect(issues).toEqual([])
  expect(cases[0]?.files.map(({ to, alsoTo }) => [to, alsoTo])).toEqual([
    ['fixtures/deep/a.pdf', 'evals/fixtures/deep/a.pdf'],
    ['notes.txt', undefined],
  ])
})

describe('files', () => {
  test.each([
    ['../../etc/passwd', 'leaves the folder with ".."'],
    ['/etc/passwd', 'is absolute; write it relative'],
    ['C:/x', 'starts with a drive letter; write it relative'],
    ['\\\\srv\\x', 'contains a backslash; write "/" between folders'],
    ['a\\..\\x', 'contains a backslash; write "/" between folders'],
    ['~/.ssh/id', 'starts with "~"; write it relative'],
    ['a\0b', 'contains a control character'],
    ['a\nb', 'contains a control character'],
    ['a\u001Bb', 'contains a control character'],
    ['x'.repeat(300), 'contains a name of more than 255 bytes'],
    ['a ', 'contains a name that starts or ends with a space'],
    ['a.', 'contains a name that ends with a dot'],
    ['', 'is empty'],
    ['.', 'names the folder itself'],
  ])('F1 and F2 %j', async (path, reason) => {
    expect(await issuesOf(withInput(`  files: [ok.txt, ${JSON.stringify(path)}]`), { 'evals/ok.txt': '' })).toEqual([
      `4:19 error unsafe-path input.files.1: the path ${reason}`,
    ])
  })

  test('F3 a missing one names the entry; a slash after a file', async () => {
    expect(await issuesOf(withInput('  files:\n    - fixtures/none.pdf'))).toEqual([
      '5:7 error file-missing input.files.0: fixtures/none.pdf does not exist below the folder of the evals',
    ])
  })

  test('missing and unsafe ones are named all at once, and beside another mistake of the case', async () => {
    const files = '  files: [fixtures/none.pdf, ../secret, ok.txt, none.txt]'
    const text = withInput(files).replace('name: a', 'name: A b')
    expect(await issuesOf(text, { 'evals/ok.txt': '' })).toEqual([
      '1:7 error invalid-value name: must be 1 to 64 characters of a-z, 0-9 and -',
      '4:30 error unsafe-path input.files.1: the path leaves the folder with ".."',
      '4:11 error file-missing input.files.0: fixtures/none.pdf does not exist below the folder of the evals',
      '4:49 error file-missing input.files.3: none.txt does not exist below the folder of the evals',
    ])
  })

  test('F4 and F5 links and pipes, also below', async () => {
    await using fixture = await createPackage(
      withInput('  files: [link.txt, linked/secret.txt, pipe, folder]\n  workspace-files: [link.txt]'),
      { 'outside/secret.txt': 's', 'evals/folder/ok.txt': '' },
    )
    await symlink(fixture.getPath('outside/secret.txt'), fixture.getPath('evals/link.txt'))
    await symlink(fixture.getPath('outside'), fixture.getPath('evals/linked'))
    await symlink(fixture.getPath('outside'), fixture.getPath('evals/folder/inner'))
    execFileSync('mkfifo', [fixture.getPath('evals/pipe')])
    expect(issueLines(await loadCase(fixture), fixture)).toMatchInlineSnapshot(`
      [
        "4:11 error not-a-file input.files.0: link.txt is a symbolic link; copy the file itself",
        "4:21 error not-a-file input.files.1: linked/secret.txt is below a symbolic link",
        "4:40 error not-a-file input.files.2: pipe is a named pipe, not a regular file",
        "4:46 error not-a-file input.files.3: folder/inner is a symbolic link, not a regular file",
        "5:21 error not-a-file input.workspace-files.0: link.txt is a symbolic link; copy the file itself",
      ]
    `)
  })

  test('F7 and F11 one file under two names', async () => {
    const files = { 'evals/A.txt': '', 'evals/a.txt': '', 'evals/d': '' }
    expect(
      await issuesOf(
        withInput('  files: [A.txt, a.txt, d]\n  workspace-files: ["cafe\\u0301", "caf\\u00e9", d/x, a.txt]'),
        files,
      ),
    ).toMatchInlineSnapshot(`
      [
        "4:18 error same-path input.files.1: a.txt and A.txt are the same file on case-insensitive disks",
        "5:35 error same-path input.workspace-files.1: café and café are the same file on case-insensitive disks",
        "5:53 error same-path input.workspace-files.3: a.txt is named twice; remove one",
        "5:48 error same-path input.workspace-files.2: d cannot be a file and the folder of d/x",
      ]
    `)
  })

  test('F8 the answers and the configuration of the agent', async () => {
    expect(
      await issuesOf(
        withInput(
          '  files: [cases, eval-config.json]\n  workspace-files: [.claude/settings.json, .git/hooks/x, AGENTS.md]',
        ),
      ),
    ).toMatchInlineSnapshot(`
      [
        "4:11 error reserved-path input.files.0: cases is part of the evals; the agent must not see it",
        "4:18 error reserved-path input.files.1: eval-config.json is part of the evals; the agent must not see it",
        "5:21 error reserved-path input.workspace-files.0: .claude/settings.json configures the agent; move it to the package",
        "5:44 error reserved-path input.workspace-files.1: .git/hooks/x configures the agent; move it to the package",
      ]
    `)
  })
})
