import { expect, test } from 'vitest'
import { findSkillReads, skillOfPrompt } from '../../../src/session/skill-uses.ts'
import { createReader as readClaude } from '../../../src/engines/claude-code/stream.ts'
import { createReader as readCodex } from '../../../src/engines/codex/stream.ts'
import { createReader as readCopilot } from '../../../src/engines/copilot/stream.ts'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { codex } from '../../../src/engines/codex/engine.ts'
import type { Conversation } from '../../../src/recordings/conversation.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

const HEAD = '---\nname: pdf\ndescription: Reads PDF files.\n---\n'
const LINE = 'Run scripts/extract.py before anything else.'
const BODY = `\n# PDF\n\n${LINE}\nThen read what it printed.\n`
const NOTES = '---\nname: notes\ndescription: Writes notes.\n---\n\nKeep every note below ten words.\n'
const SKILLS = [
  { name: 'pdf', folder: 'pdf-tools', text: HEAD + BODY },
  { name: 'notes', folder: 'notes', text: NOTES },
]
const FILE = '.agents/skills/pdf-tools/SKILL.md'
const PROMPT = 'Extract the text.'

/** One call of a shell and what it printed; `fails` when it ended badly. */
interface Step {
  readonly command: string
  readonly prints: string
  readonly fails?: true
}

/** A way of using a skill, of reading its file or of doing neither, and which skills were read. */
type Way = readonly [what: string, steps: readonly Step[], read: readonly string[]]

const SHELL: readonly Way[] = [
  ['cat', [{ command: `cat ${FILE}`, prints: HEAD + BODY }], ['pdf']],
  ['cd and cat', [{ command: 'cd .agents/skills/pdf-tools && cat SKILL.md', prints: HEAD + BODY }], ['pdf']],
  ['a glob', [{ command: 'cat .agents/skills/*/SKILL.md', prints: NOTES + HEAD + BODY }], ['pdf', 'notes']],
  ['the second file of one cat', [{ command: `cat README.md ${FILE}`, prints: `# Readme\n${HEAD}${BODY}` }], ['pdf']],
  ['python that prints it', [{ command: `python3 -c "print(open('${FILE}').read())"`, prints: HEAD + BODY }], ['pdf']],
  ['a part of the body', [{ command: `sed -n '7,8p' ${FILE}`, prints: `${LINE}\n` }], ['pdf']],
  ['numbered lines', [{ command: `nl ${FILE}`, prints: `     8\t${LINE}\n` }], ['pdf']],
  ['a search that prints a line of the body', [{ command: `grep -n extract ${FILE}`, prints: `8:${LINE}\n` }], ['pdf']],
  ['a copy that is read', [{ command: `cp ${FILE} /tmp/a; cat /tmp/a`, prints: HEAD + BODY }], ['pdf']],
  ['body printed, then an error', [{ command: `cat ${FILE}; false`, prints: HEAD + BODY, fails: true }], ['pdf']],
  ['awk', [{ command: `awk '{ print }' ${FILE}`, prints: HEAD + BODY }], ['pdf']],
  ['what git has of it', [{ command: `git show HEAD:${FILE}`, prints: HEAD + BODY }], ['pdf']],
  ['line ends of Windows', [{ command: `cat ${FILE}`, prints: (HEAD + BODY).replaceAll('\n', '\r\n') }], ['pdf']],
  ['indented lines', [{ command: `pr ${FILE}`, prints: `    ${LINE}\n` }], ['pdf']],
  ['a diff that shows a line', [{ command: `diff ${FILE} b`, prints: `1,9d0\n< ${LINE}\n` }], ['pdf']],
  ['its headings', [{ command: `grep '^#' ${FILE}`, prints: '# PDF\n' }], []],
  ['a checksum', [{ command: `sha256sum ${FILE}`, prints: `9f86d081884c7d65  ${FILE}\n` }], []],
  ['its encoding', [{ command: `base64 ${FILE}`, prints: `${Buffer.from(HEAD + BODY).toString('base64')}\n` }], []],
  ['a search for files', [{ command: 'find . -name SKILL.md', prints: `./${FILE}\n` }], []],
  ['its size and times', [{ command: `stat ${FILE}`, prints: `  File: ${FILE}\n  Size: 140\n` }], []],
  ['front matter alone', [{ command: `head -4 ${FILE}`, prints: HEAD }], []],
  ['its name', [{ command: `ls ${FILE}`, prints: `${FILE}\n` }], []],
  ['a count', [{ command: `wc -l ${FILE}`, prints: `8 ${FILE}\n` }], []],
  [
    'a search that prints its description',
    [{ command: `grep description ${FILE}`, prints: 'description: Reads PDF files.\n' }],
    [],
  ],
  ['a search that lists files', [{ command: `grep -l extract ${FILE}`, prints: `${FILE}\n` }], []],
  ['sed -i', [{ command: `sed -i s/a/b/ ${FILE}`, prints: '' }], []],
  ['a write', [{ command: `echo x > ${FILE}`, prints: '' }], []],
  ['an echo of the command', [{ command: `echo cat ${FILE}`, prints: `cat ${FILE}\n` }], []],
  ['a failed cat', [{ command: `cat ${FILE}`, prints: `cat: ${FILE}: No such file or directory\n`, fails: true }], []],
  ['a cat into nowhere', [{ command: `cat ${FILE} > /dev/null`, prints: '' }], []],
  ['its own text, written and read', [{ command: `echo '${LINE}' > a.md; cat a.md`, prints: `${LINE}\n` }], []],
  [
    'its own text, read later',
    [
      { command: `echo '${LINE}' > a.md`, prints: '' },
      { command: 'cat a.md', prints: `${LINE}\n` },
    ],
    [],
  ],
  ['the other skill', [{ command: 'cat .agents/skills/notes/SKILL.md', prints: NOTES }], ['notes']],
  [
    'twice',
    [
      { command: `cat ${FILE}`, prints: HEAD + BODY },
      { command: `cat ${FILE}`, prints: HEAD + BODY },
    ],
    ['pdf'],
  ],
]

const ENGINES: Readonly<Record<string, (steps: readonly Step[]) => readonly UnnumberedEvent[]>> = {
  'claude-code': (steps) => {
    const reader = readClaude()
    const init = { type: 'system', subtype: 'init', session_id: 's', claude_code_version: '2', skills: [] }
    const lines = steps.flatMap(({ command, prints, fails }, index) => [
      {
        type: 'assistant',
        session_id: 's',
        message: {
          id: `m${index}`,
          content: [{ type: 'tool_use', id: `t${index}`, name: 'Bash', input: { command } }],
        },
      },
      {
        type: 'user',
        session_id: 's',
        message: {
          content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: prints, is_error: fails === true }],
        },
      },
    ])
    return [init, ...lines].flatMap((line) => reader.line(JSON.stringify(line)))
  },
  codex: (steps) => {
    const reader = readCodex()
    return steps.flatMap(({ command, prints, fails }, index) => {
      const item = { id: `t${index}`, type: 'command_execution', command: `/bin/bash -lc ${JSON.stringify(command)}` }
      const end = {
        ...item,
        aggregated_output: prints,
        exit_code: fails ? 1 : 0,
        status: fails ? 'failed' : 'completed',
      }
      return [
        ...reader.line(JSON.stringify({ type: 'item.started', item })),
        ...reader.line(JSON.stringify({ type: 'item.completed', item: end })),
      ]
    })
  },
  copilot: (steps) => {
    const reader = readCopilot()
    return steps.flatMap(({ command, prints, fails }, index) => {
      const started = { toolCallId: `t${index}`, toolName: 'bash', arguments: { command } }
      const completed = {
        toolCallId: `t${index}`,
        success: true,
        result: { content: prints },
        shellExecution: { exitCode: fails ? 1 : 0 },
      }
      return [
        ...reader.line(JSON.stringify({ type: 'tool.execution_start', data: started })),
        ...reader.line(JSON.stringify({ type: 'tool.execution_complete', data: completed })),
      ]
    })
  },
}

function skillsIn(events: readonly UnnumberedEvent[], conversation: Conversation | null = null): readonly string[] {
  const found = findSkillReads(events, conversation, { prompt: PROMPT, skills: SKILLS })
  return found.flatMap((event) => (event.kind === 'skill-used' ? [event.skill] : []))
}

test('a skill was read when a line of its body came back, on every engine', () => {
  const rows = SHELL.map(([what, steps, read]) => {
    const found = Object.entries(ENGINES).map(([engine, eventsOf]) => ({ engine, skills: skillsIn(eventsOf(steps)) }))
    const cells = found.map(({ engine, skills }) => {
      const isRight = JSON.stringify(skills.toSorted()) === JSON.stringify(read.toSorted())
      return `${engine} ${skills.join(' and ') || '-'}${isRight ? '' : ' WRONG'}`
    })
    return `${what}: ${cells.join(', ')}`
  })
  console.log(`${rows.join('\n')}\n${rows.length} ways on each of ${Object.keys(ENGINES).length} engines`)
  expect(rows.filter((row) => row.includes('WRONG'))).toEqual([])
  expect(rows.length).toBeGreaterThanOrEqual(30)
})

const CALL: UnnumberedEvent = { kind: 'tool-call', agent: null, id: 't', tool: 'Read', input: { file_path: FILE } }

function result(text: string, isError = false): UnnumberedEvent {
  return { kind: 'tool-result', agent: null, id: 't', text, isError, blockedBy: null }
}

function observed(texts: readonly string[], carried: string | null): Conversation {
  const offers: [] = []
  const results = carried === null ? [] : [{ id: 't', text: carried, isError: false }]
  const turns = [
    { model: 'm', texts, offers, results: [], answer: null, order: 0, after: null },
    { model: 'm', texts: results.map(({ text }) => text), offers, results, answer: null, order: 1, after: 0 },
  ]
  return { threads: [{ thread: 'main', given: null, turns }], unanswered: [] }
}

const OWN: UnnumberedEvent = { kind: 'skill-used', agent: null, skill: 'pdf-tools', via: 'read' }
const TOOL: UnnumberedEvent = { kind: 'skill-used', agent: null, skill: 'pdf', via: 'tool' }

test.for([
  ['the Read tool, of its body', [CALL, result(`     8\t${LINE}`), OWN], null, ['pdf']],
  ['the Read tool, of its front matter', [CALL, result(HEAD), OWN], null, []],
  ['the tool for skills', [CALL, TOOL, result('Launching skill: pdf')], null, ['pdf']],
  ['a result that a request carried', [CALL, result(HEAD + BODY)], observed([PROMPT], HEAD + BODY), ['pdf']],
  ['a result that was cut before it was carried', [CALL, result(HEAD + BODY)], observed([PROMPT], '[cut]'), []],
  ['a result that no request carried', [CALL, result(HEAD + BODY)], observed([PROMPT], null), []],
  ['a body that the model was shown before', [CALL, result(LINE)], observed([PROMPT, `Rules:\n${LINE}`], LINE), []],
  ['its own message, repeated by a tool', [{ kind: 'message', agent: null, text: LINE }, CALL, result(LINE)], null, []],
  [
    'a sub-agent that reads it',
    [
      { ...CALL, agent: 'a' },
      { ...result(HEAD + BODY), agent: 'a' },
    ],
    null,
    ['pdf'],
  ],
] as const satisfies readonly (readonly [
  string,
  readonly UnnumberedEvent[],
  Conversation | null,
  readonly string[],
])[])('by what was carried: %s', ([, events, conversation, read]) => {
  expect(skillsIn(events, conversation)).toEqual(read)
})

test("a skill without a line of its own is read by the engine's own event", () => {
  const skills = [{ name: 'tiny', folder: 'tiny', text: '---\nname: tiny\n---\nHi.\n' }]
  const own: UnnumberedEvent = { ...OWN, skill: 'tiny' }
  const found = findSkillReads([CALL, result('Hi.'), own], null, { prompt: '', skills })
  expect(found).toContainEqual(own)
})

test.for([
  ['/pdf Extract it.', 'pdf'],
  ['/pdf-tools', 'pdf'],
  ['/plugin:pdf now', 'pdf'],
  ['Use /pdf', null],
  ['/pdfs', null],
  ['/other', null],
] as const)('the prompt %j loads %s', ([prompt, skill]) => {
  const [used = null] = skillOfPrompt(claudeCode, prompt, SKILLS)
  expect(used).toEqual(skill === null ? null : { kind: 'skill-used', agent: null, skill, via: 'command' })
  expect(skillOfPrompt(codex, prompt, SKILLS)).toEqual([])
})
