// @module-tag no-engine
// @module-tag slow
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { describeShared } from '../support/shared.ts'
import { at, createCopy } from '../support/assert-project.ts'
import type { TestProject } from '../support/project.ts'

const EXTRACT = `import sys
with open(sys.argv[1]) as file:
    print("Page 1")
    print(file.read())
`

const VALIDATE = `event=$(cat)
path=$(printf '%s' "$event" | sed -n 's/.*"file_path":"\\([^"]*\\)".*/\\1/p')
case "$path" in
  /etc/*)
    echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"protected"}}'
    echo "blocked: $path is a protected path" >&2
    exit 2
    ;;
esac
`

const PRETTIER = `#!/bin/sh
echo "formatted $2"
`

const major = repositoryVitest()

describeShared('the examples of the AAM text', (shared) => {
  describe('in the project assert', () => {
    test('load unmodified and name the files that they lack', async () => {
      await using project = await createCopy(major, `${shared}/suites/aam-spec-examples`)
      const listed = await project.run(['list', '--project', 'assert'])
      expect(listed.stdout.trim().split('\n').toSorted()).toEqual([
        '[assert] hooks/tests/cases/01-pre-tool-block.yaml > pre-tool-block-forbidden-path',
        '[assert] hooks/tests/cases/01-pre-tool-block.yaml > pre-tool-block-forbidden-path (claude-code payload)',
        '[assert] hooks/tests/cases/02-post-tool-format.yaml > post-tool-format-success',
        '[assert] hooks/tests/cases/02-post-tool-format.yaml > post-tool-format-success (claude-code payload)',
        '[assert] skills/pdf-tools/tests/cases/01-basic.yaml > basic-pdf-extraction',
      ])

      const run = await project.run(['run', 'skills/pdf-tools', '01-pre-tool'])
      expect(run.exitCode).toBe(1)
      expect(run.all).toContain("files that are not in the skill's folder: tests/fixtures/sample.pdf (line 7)")
      expect(run.all).toContain('The command names hooks/scripts/validate.sh, which does not exist in the package.')
      expect(run.all).toMatch(/Tests +3 failed \(3\)/)
    })

    test('pass with the scripts that they name, and fail rightly when a script is wrong', async () => {
      await using project = await createCopy(major, `${shared}/suites/aam-spec-examples`)
      await write(project, 'skills/pdf-tools/scripts/extract.py', EXTRACT)
      await write(project, 'skills/pdf-tools/tests/fixtures/sample.pdf', 'Hello, World')
      await write(project, 'hooks/scripts/validate.sh', VALIDATE)
      await write(project, 'node_modules/.bin/prettier', PRETTIER)
      await chmod(at(project, 'node_modules/.bin/prettier'), 0o755)
      const passed = await project.run(['run'])
      expect(passed.all).toMatch(/Tests +5 passed \(5\)/)
      expect(passed.exitCode).toBe(0)

      await write(project, 'skills/pdf-tools/scripts/extract.py', EXTRACT.replace('Page 1', 'page one'))
      await write(
        project,
        'hooks/scripts/validate.sh',
        VALIDATE.replace('"deny"', '"allow"').replace('exit 2', 'exit 1'),
      )
      const failed = await project.run(['run', 'skills/pdf-tools', '01-pre-tool'])
      expect(failed.exitCode).toBe(1)
      expect(failed.all).toMatch(/Tests +3 failed \(3\)/)
      expect(failed.all).toContain('expected stdout to contain "Page 1" but it does not')
      expect(failed.all).toContain('skills/pdf-tools/tests/cases/01-basic.yaml:12:')
      expect(failed.all).toContain('expected exit code 2 but got 1')
      expect(failed.all).toContain('hooks/tests/cases/01-pre-tool-block.yaml:10:')
      expect(failed.all).toContain('-     "permissionDecision": "deny"')
      expect(failed.all).toContain('+     "permissionDecision": "allow"')
    })
  })
})

async function write(project: TestProject, path: string, content: string): Promise<void> {
  await mkdir(dirname(at(project, path)), { recursive: true })
  await writeFile(at(project, path), content)
}
