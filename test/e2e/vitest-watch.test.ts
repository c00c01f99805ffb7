// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { createProject } from '../support/project.ts'
import { config, greeting, readReport, verdicts } from '../support/eval-project.ts'
import { startMessagesServer, type MessagesServer } from '../support/messages-server.ts'
import { agreeing } from '../support/package-run.ts'
import { skill } from '../support/skill-project.ts'
import { rerunBy } from '../support/rerun-by.ts'

const FILES = {
  'vitest.config.ts': config("{ sandbox: 'prefer', runs: 1 }"),
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'hooks/hooks.json':
    '{"version": 1, "hooks": {"session-start": [{"hooks": [{"type": "command", "command": "sh ${PACKAGE_ROOT}/hooks/start.sh"}]}]}}',
  'hooks/start.sh': 'exit 0\n',
  'skills/notes/SKILL.md': skill('notes', 'Writes release notes.'),
  'skills/notes/evals/triggers.json': queries(['write the notes', 'write down the notes']),
  'skills/letters/SKILL.md': skill('letters', 'Writes letters.'),
  'skills/letters/evals/triggers.json': queries(['write the letter']),
  'evals/fixtures/name.txt': 'World\n',
  'evals/cases/about-letters.yaml': greeting('about-letters', 'target: skill:letters\n').replace(
    'Say hello.',
    'Say hello.\n  files: [fixtures/name.txt]',
  ),
  'evals/cases/about-notes.yaml': greeting('about-notes', 'target: skill:notes\n'),
}

function queries(texts: readonly string[]): string {
  return JSON.stringify(
    texts.map((query) => ({ query, should_trigger: true })),
    null,
    1,
  )
}

describeOnMajors('watching evals on $label', ['claude-code'], (major) => {
  // Some twenty sessions, one after the other.
  test('runs exactly the cases that an edit concerns, and asks no model', { timeout: 600_000 }, async () => {
    await using model = await startModel()
    const env = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: model.url }
    await using project = await createProject(major, FILES)
    const recorded = await project.run(['run', '--project', 'evals'], { env })
    expect(recorded.exitCode, recorded.all).toBe(0)
    await project.files.rm('evals/reports')
    const asked = model.requests.length

    const watching = project.start(['--watch', '--project', 'evals', '--reporter=verbose'], { env })
    await watching.waitFor(/for file changes/)
    const edit = (path: string, text: string): Promise<readonly string[]> =>
      rerunBy(watching, () => project.files.writeFile(path, text))

    const ofNotes = ['about-notes', 'write down the notes', 'write the notes']
    const changed = await edit('skills/notes/SKILL.md', skill('notes', 'Writes release notes.', 'Do it even better.'))
    expect(changed.toSorted(), watching.output()).toEqual(ofNotes)
    const ofLetters = ['about-letters', 'write the letter']
    expect((await edit('skills/letters/more.md', 'More.\n')).toSorted()).toEqual(ofLetters)
    const removed = await rerunBy(watching, () => rm(join(project.root, 'skills/letters/more.md')))
    expect(removed.toSorted()).toEqual(ofLetters)
    // Which cases a file concerns is the plugin's to say: one major shows the other kinds of files.
    const isFirst = major.major === 4
    if (isFirst) {
      expect(await edit('evals/fixtures/name.txt', 'Moon\n')).toEqual(['about-letters'])
      // As an editor that writes in place, on a busy machine.
      const saved = await rerunBy(watching, async () => {
        await project.files.writeFile('skills/notes/evals/triggers.json', '')
        await sleep(60)
        await project.files.writeFile(
          'skills/notes/evals/triggers.json',
          queries(['write the notes', 'take down the notes']),
        )
      })
      expect(saved).toEqual(['take down the notes'])
      // Hooks take part in trigger queries, too.
      const ofHooks = ['about-letters', 'about-notes', 'take down the notes', 'write the letter', 'write the notes']
      expect((await edit('hooks/start.sh', 'exit 0 # still\n')).toSorted()).toEqual(ofHooks)
    }

    watching.send('SIGINT')
    expect((await watching.finished).all).not.toContain('Unhandled')
    expect(model.requests).toHaveLength(asked)
    expect(verdicts(await readReport(project)).toSorted()).toEqual([
      'about-letters PASS',
      'about-notes PASS',
      isFirst ? 'take down the notes SKIP' : 'write down the notes PASS',
      'write the letter PASS',
      'write the notes PASS',
    ])
  })
})

/** A model that uses the skill it is asked to write with, and greets. */
function startModel(): Promise<MessagesServer> {
  return startMessagesServer((request) => {
    const judged = agreeing(request, 'Hello')
    if (judged !== null) return judged
    const [, skillName] = /(?:write|take)[a-z ]* the (notes|letter)/.exec(JSON.stringify(request.body.messages)) ?? []
    if (skillName === undefined || request.index > 0) return { text: 'Hello' }
    return { tools: [{ name: 'Skill', input: { skill: skillName === 'letter' ? 'letters' : skillName } }] }
  })
}
