// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { ALL_HOOKS } from '../support/conformance/package.ts'
import { ENGINES, type ConformingEngine, variablesFor } from '../support/conformance/engines.ts'
import { verdicts } from '../support/eval-project.ts'
import { createPackage, runEvals, type WrittenCase } from '../support/package-run.ts'

const expected = { contains: ['Done'] }
const CALLS = 40
const AT_ONCE = 20

/** What sessions do that is rare and right. */
function casesOf({ name, shell, outlive, delegate, look }: ConformingEngine): Readonly<Record<string, WrittenCase>> {
  // A sub-agent of Codex has no tool to ask another one.
  const inner = name === 'codex' ? [] : delegate('INNER: say it.', ['It is.'])
  const number = (from: number): readonly string[] =>
    Array.from({ length: AT_ONCE }, (_, index) => `echo number ${from + index}`)
  const many = Array.from({ length: CALLS / AT_ONCE }, (_, index) => ({
    tools: number(index * AT_ONCE).map((one) => shell(one)),
  }))
  return {
    'blocks-one-of-two': { expected, turns: [{ tools: [shell('echo forbidden'), shell('echo b')] }, 'Done.'] },
    'calls-in-parallel': { expected, turns: [{ tools: [shell('sleep 1; echo a'), shell('echo b')] }, 'Done.'] },
    'asks-in-turn': {
      expected,
      turns: [...delegate('OUTER: ask another one.', [...inner, 'So it is.']), 'Done.'],
    },
    'calls-forty': { expected, turns: [...many, 'Done.'] },
    'goes-on': {
      expected,
      prompts: ['Go.', 'Go on.'],
      turns: [{ tools: [shell('echo a')] }, 'One.', { tools: [shell('echo b')] }, 'Done.'],
    },
    'outlives-its-call': { expected, turns: [{ tools: [outlive('echo early; sleep 3; echo late')] }, 'Done.'] },
    'prints-a-lot': { expected, turns: [{ tools: [shell('seq 1 60000')] }, 'Done.'] },
    'prints-bytes': { expected, turns: [{ tools: [shell(String.raw`printf '\377\376\000 end'`)] }, 'Done.'] },
    'reads-a-large-file': {
      expected,
      turns: [{ tools: [shell('seq 1 12000 > large.txt')] }, { tools: [look('${WORKSPACE}/large.txt')] }, 'Done.'],
    },
    'repeats-itself': {
      expected,
      turns: [{ text: 'Done.', tools: [shell('echo x')] }, { text: 'Done.', tools: [shell('echo x')] }, 'Done.'],
    },
    'sees-an-image': {
      expected,
      turns: [
        { tools: [shell(`echo ${PIXEL} | base64 -d > p.png`)] },
        { tools: [look('${WORKSPACE}/p.png')] },
        'Done.',
      ],
    },
  }
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const bubblewrap = await probeBubblewrap(process.env)
const reason = bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`

describe.skipIf(!bubblewrap.works)(`an honest session${reason}`, () => {
  for (const engine of ENGINES) {
    test(`is no error on ${engine.name}, however odd`, { tags: [engine.name] }, async ({ skip }) => {
      const program = await engine.program()
      if (program === null) return skip('its program is not installed')
      const cases = casesOf(engine)
      await using project = await createPackage({
        options: "{ sandbox: 'bubblewrap' }",
        // So many calls at once take their time on a busy machine.
        config: { engine: engine.name, timeout: 500 },
        cases,
        files: ALL_HOOKS,
      })
      const run = await runEvals(project, await variablesFor(engine, program))
      expect(verdicts(run.report), run.finished.all).toEqual(
        Object.keys(cases)
          .toSorted()
          .map((name) => `${name} PASS`),
      )
      for (const name of Object.keys(cases))
        expect(run.case(name).notices.join(), name).not.toContain("The engine's own record of the session")
      const refused = (await run.transcript('blocks-one-of-two')).flatMap((event) =>
        event.kind === 'tool-result' ? [event.blockedBy] : [],
      )
      expect(refused).toEqual(['hook', null])
      // How many tokens a file has is a question of the CLI's own, and no turn of the session.
      const file = join(project.root, run.case('reads-a-large-file').runs[0]?.folder ?? '', 'requests.json')
      const asked = JSON.parse(await readFile(file, 'utf8').catch(() => '[]')) as unknown
      const counts = [{ thread: 'side:count-tokens', model: expect.any(String), answer: null }]
      expect(asked).toEqual(engine.name === 'claude-code' ? counts : [])
      const transcript = await run.transcript('calls-forty')
      const origins = transcript.map(({ kind, from }) => `${kind} ${from}`)
      expect(origins.filter((one) => one === 'tool-call model')).toHaveLength(CALLS)
      expect(origins.filter((one) => one === 'tool-result given to the model')).toHaveLength(CALLS)
    })
  }
})
