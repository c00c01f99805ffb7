import { createFixture, type FileTree, type FsFixture } from 'fs-fixture'
import { createSuiteCache, loadSuite } from '../../src/formats/load-suite.ts'
import type { Suite } from '../../src/formats/suite.ts'

/** A rubric of two dimensions and two hard fails. */
export const RUBRIC = `---
schema_version: 1
agent: clerk
weights:
  tone: 40
  accuracy: 60
threshold_pass: 4.0
---

# Rubric

## Tone (40%)

- **5** — Calm.

## Hard fails (binary, override score)

- **HF1** — Promises money.
- **HF2** — Invents a number.

## Accuracy (60%)

- **5** — Right.
`

/** A judge whose prompt asks for both dimensions. */
export const JUDGE = `---
schema_version: 1
agent: clerk
recommended_judge:
  cross_family:
    - gpt-5.2
  same_family_fallback:
    - claude-sonnet-5
strict_mode: true
audit_sample_pct: 0.10
---

Score by the rubric:

{rubric}

\`\`\`json
{ "tone": {"score": 1}, "accuracy": {"score": 1}, "hard_fails": [] }
\`\`\`

{test_input} {expected_behavior} {pass_criteria} {agent_response} {trajectory}
`

/** A golden test; `front` is further front matter, `body` everything below it. */
export function golden(id: string, { category = 'happy', front = '', body = BODY } = {}): string {
  return `---\nschema_version: 1\nagent: clerk\ncategory: ${category}\ntest_id: ${id}\ncreated: 2026-05-06\n${front}---\n${body}`
}

export const BODY = `
# Opening hours

## Setup (vault state for this test)

The shop is open from 9 to 5.

## Input

> "When do you open?"

## Expected behavior (the judge evaluates against this)

Says 9.

## Pass criteria (rubric thresholds + hard-fail checks)

- tone: ≥ 4 (calm)
- accuracy: 5
- **No hard fails — especially HF2**

## Notes

None.
`

/** An agent whose documented files are all there. */
export const CLERK: FileTree = {
  'clerk/persona/IDENTITY.md': 'I am the clerk.\n',
  'clerk/persona/SOUL.md': 'Calm.\n',
  'clerk/persona/USER.md': 'The owner.\n',
  'clerk/tools.md': 'Read only.\n',
  'clerk/model.md': '# MODEL\n\n## Default model\n\n**`claude-haiku-4-5`**\n\n## Fallback\n\n`claude-sonnet-5`\n',
  'clerk/memory/INDEX.md': '- [Hours](hours.md)\n',
  'clerk/memory/hours.md': '9 to 5\n',
  'clerk/evals/rubric.md': RUBRIC,
  'clerk/evals/judge.md': JUDGE,
}

/** An agent with these golden tests, by path below its folder. */
export function createAgent(tests: Readonly<Record<string, string>>, more: FileTree = {}): Promise<FsFixture> {
  const files = Object.entries(tests).map(([path, text]) => [`clerk/evals/${path}`, text])
  return createFixture({ ...CLERK, ...Object.fromEntries(files), ...more })
}

/** Reads one of them. */
export function load(fixture: FsFixture, path: string): Promise<Suite> {
  return loadSuite(fixture.getPath(`clerk/evals/${path}`), {
    root: fixture.path.replace(/\/$/, ''),
    cache: createSuiteCache(),
  })
}

/** Issues as `file:line severity code message`. */
export function words({ issues }: Pick<Suite, 'issues'>): readonly string[] {
  return issues.map(
    ({ file, line, severity, code, message }) => `${file.split('/').at(-1)}:${line} ${severity} ${code}: ${message}`,
  )
}
