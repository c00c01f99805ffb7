// @module-tag claude-code
// @module-tag slow
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { isJsonObject, objectOf, objectsOf, stringOf, tryParseJson, type JsonObject } from '../../src/lib/json.ts'
import { runProcess } from '../../src/sandbox/process/run-process.ts'
import { describeClaude } from '../support/claude-code-session.ts'
import { claudeExecutable } from '../support/engines.ts'
import { FRONT_MATTER, fileOfRow, inOneLine } from '../support/front-matter.ts'

describeClaude('the table of front matter', () => {
  test('is what the real CLI loads', async () => {
    const each = (kind: string, path: (name: string) => string): Record<string, string> =>
      Object.fromEntries(
        FRONT_MATTER.map(([text], index) => [path(`${kind}-${index}`), fileOfRow(text, `${kind}-${index}`)]),
      )
    await using fixture = await createFixture({
      workspace: {
        '.claude': {
          skills: each('skill', (name) => `${name}/SKILL.md`),
          commands: each('command', (name) => `${name}.md`),
          agents: each('agent', (name) => `${name}.md`),
        },
      },
      home: {},
    })
    const loaded = await askForParts(fixture.getPath('workspace'), fixture.getPath('home'))
    const shownAs = (name: string): string | null => {
      const part = loaded.find((one) => one['name'] === name)
      if (part === undefined) return null
      const plain = stringOf(part['description'])
        .replace(/ \(project\)$/, '')
        .replaceAll('&gt;', '>')
        .replaceAll('&lt;', '<')
      return inOneLine(plain).replaceAll(name, 'NAME')
    }
    const seen = FRONT_MATTER.map(([text], index) => [
      text,
      shownAs(`skill-${index}`),
      shownAs(`command-${index}`),
      shownAs(`agent-${index}`) !== null,
    ])
    expect(seen).toEqual(
      FRONT_MATTER.map(([text, written, isAgent = written !== null]) => {
        const shown = inOneLine(written ?? 'Body of NAME.')
        return [text, shown, shown, isAgent]
      }),
    )
  })
})

/** The commands, skills and agents that a session names to its host, without a request to a model. */
async function askForParts(workspace: string, home: string): Promise<readonly JsonObject[]> {
  const answers: JsonObject[] = []
  const options = ['-p', '--input-format=stream-json', '--output-format=stream-json', '--verbose']
  const result = await runProcess(claudeExecutable() ?? '', [...options, '--setting-sources=project'], {
    cwd: workspace,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    },
    stdin: `${JSON.stringify({ type: 'control_request', request_id: 'parts', request: { subtype: 'initialize' } })}\n`,
    deadlineMs: 120_000,
    onLine: (line) => {
      const parsed = tryParseJson(line)
      if (isJsonObject(parsed) && parsed['type'] === 'control_response') answers.push(objectOf(parsed['response']))
    },
  })
  const parts = objectOf(answers[0]?.['response'])
  expect(answers, result.stderrTail).toHaveLength(1)
  return [...objectsOf(parts['commands']), ...objectsOf(parts['agents'])]
}
