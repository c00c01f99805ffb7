// @module-tag no-engine
// @module-tag slow
import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { at, createPackage, skillTest } from '../support/assert-project.ts'

const major = repositoryVitest()

const HOOKS = '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "sh hooks/stop.sh"}]}]}}'

describe('watching', () => {
  test('a saved script runs its own cases again, and so does a new file', async () => {
    await using project = await createPackage(major, {
      'skills/s/SKILL.md': '---\nname: s\ndescription: S.\n---\n',
      'skills/s/run.sh': 'echo one\n',
      'skills/s/tests/cases/s.yaml': skillTest(
        'says',
        'sh run.sh; echo $WORD; cat extra.txt 2>/dev/null || true',
        'expected:\n  stdout-contains: [two]\n',
      ),
      'hooks/hooks.json': HOOKS,
      'hooks/stop.sh': 'exit 0\n',
      'hooks/tests/cases/stop.yaml': 'name: stops\nevent: stop\n',
    })
    const watching = project.start(['--watch', '--reporter=verbose'])
    await watching.waitFor(/× [^\n]*says[^]+for file changes/)

    await writeFile(at(project, 'skills/s/run.sh'), 'echo two\n')
    await watching.waitFor(/RERUN +skills\/s\/run\.sh[^]+✓ [^\n]*says[^]+for file changes/)

    await writeFile(at(project, 'hooks/stop.sh'), 'exit 3\n')
    await watching.waitFor(/RERUN +hooks\/stop\.sh[^]+× [^\n]*stops \(claude-code payload\)[^]+for file changes/)

    await writeFile(at(project, 'skills/s/run.sh'), 'echo three\n')
    await watching.waitFor(/RERUN +skills\/s\/run\.sh[^]+× [^\n]*says[^]+for file changes/)

    await writeFile(at(project, 'skills/s/extra.txt'), 'two\n')
    await watching.waitFor(/RERUN +skills\/s\/extra\.txt[^]+✓ [^\n]*says/)
    watching.send('SIGINT')
    const { all } = await watching.finished
    expect(all).not.toContain('Unhandled')
  })
})
