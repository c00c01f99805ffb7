import { expect, test } from 'vitest'
import { innerCommand } from '../../../../src/engines/codex/stream.ts'
import { RECORD_TABLE } from '../../../../src/engines/codex/record-table.ts'

const BODY = '---\nname: greet\ndescription: Greets.\n---\n# Greet\n'

test.for([
  ['cat .agents/skills/greet/SKILL.md', BODY, ['greet']],
  ["sed -n '1,200p' /workspace/.agents/skills/greet/SKILL.md", BODY, ['greet']],
  ['cd .agents/skills/greet && cat SKILL.md', BODY, ['greet']],
  ['cat .agents/skills/*/SKILL.md', BODY + BODY.replaceAll('greet', 'wave'), ['greet', 'wave']],
  ['ls .agents/skills/greet/SKILL.md', '.agents/skills/greet/SKILL.md\n', []],
  ['rg --files -g SKILL.md', '.agents/skills/greet/SKILL.md\n', []],
  ['rg -n name: .agents/skills/greet/SKILL.md', '2:name: greet\n', []],
  ['cat notes.md', BODY, []],
] as const)('%s', ([command, output, skills]) => {
  const used = RECORD_TABLE.skillsOf({ tool: 'Bash', input: { command } }, output)
  expect(used).toEqual(skills.map((skill) => ({ skill, via: 'read' })))
})

test.for([
  [String.raw`/bin/bash -c 'echo hi'`, 'echo hi'],
  [String.raw`/bin/bash -lc ls`, 'ls'],
  [String.raw`/bin/bash -c "echo \"it's\" \$HOME"`, `echo "it's" $HOME`],
  [String.raw`/bin/bash -c 'it'"'"'s'`, `it's`],
  ['python3 run.py', 'python3 run.py'],
  ['', ''],
] as const)('the command inside %s', ([call, command]) => {
  expect(innerCommand(call)).toBe(command)
})
