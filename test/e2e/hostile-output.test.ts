// @module-tag claude-code
// @module-tag slow
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes, type DurableProject, type RawOutput } from '../support/durable-project.ts'
import { keptText } from '../support/kept-text.ts'

const vitest4 = repositoryVitest()
const SECRET = 'hunter2-Hunter2/+very-secret'
const BASE64 = Buffer.from(`user:${SECRET}`).toString('base64')
const ESCAPES =
  'red \u001b[31m title \u001b]0;pwned\u0007 clip \u001b]52;c;cHduZWQ=\u0007 link \u001b]8;;http://evil\u0007'
const MOVES = 'over\rwritten back\b\b\b csi \u009b31m right \u202e left'
const COMMANDS = '\n::error file=x::pwned\n##[error]pwned\n::add-mask::pwned\n'
const MARKUP = '<img src=x onerror=alert(1)></script>]]> nul \u0000 end'
const SPLIT = `${SECRET.slice(0, 8)}\u001b[0m${SECRET.slice(8)}`

describe.skipIf(claudeExecutable() === null)('hostile output of an agent', { tags: ['claude-code'] }, () => {
  let durable: DurableProject
  let run: RawOutput
  let files: ReadonlyMap<string, string>

  beforeAll(async () => {
    const says = (text: string): { readonly says: string } => ({ says: text })
    durable = await durableProject(vitest4, {
      escapes: says(`${ESCAPES} ${MOVES}`),
      commands: says(COMMANDS),
      markup: says(MARKUP),
      secrets: {
        says: `plain ${SECRET} base64 ${BASE64} url ${encodeURIComponent(SECRET)} split ${SPLIT}`,
        does: `echo 'key=${SECRET}' > leak.txt; echo '${BASE64}' > leak.b64; echo '${SECRET}'`,
      },
    })
    const reporters = ['default', 'junit', 'json', 'github-actions'].map((name) => `--reporter=${name}`)
    const outputs = ['--outputFile.junit=junit.xml', '--outputFile.json=results.json']
    run = await durable.shell('"$@"', [...reporters, ...outputs], { MY_API_KEY: SECRET, GITHUB_ACTIONS: 'true' })
    files = await readAll(durable.project.root)
  })
  afterAll(() => durable[Symbol.asyncDispose]())

  test('fails its cases and nothing else', async () => {
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['commands FAIL', 'escapes FAIL', 'markup FAIL', 'secrets FAIL'])
    expect(run.exitCode).toBe(1)
  })

  test('R1: reaches no terminal', () => {
    const text = run.stdout + run.stderr
    expect(text).toContain(String.raw`clip \x1b]52;c;cHduZWQ=`)
    // Vitest's own colours are the only codes.
    expect(text.match(/\u001b(?!\[[\d;]*m)[^]{0,20}/g)).toBeNull()
    expect(text.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001a\u007f-\u009f\u202a-\u202e]/g)).toBeNull()
    expect(text.match(/\r(?!\n)/g)).toBeNull()
    expect(text).not.toContain('\u001b[31m title')
  })

  test('R2: gives a CI log no commands', () => {
    const lines = `${run.stdout}\n${run.stderr}`.split('\n')
    expect(lines.filter((line) => /^\s*::(?:error file=x|add-mask)/.test(line))).toEqual([])
    expect(lines.filter((line) => /##\[/.test(line))).toEqual([])
  })

  test('R4: stays text in XML and JSON', () => {
    const xml = files.get('junit.xml') ?? ''
    expect(xml).toContain('<testcase')
    // Outside of a tag no `<` is raw, and no character is one that XML forbids.
    expect(
      xml.match(/<(?![/?!]?(?:xml|testsuites?|testcase|failure|error|skipped|system-out|properties|property)\b)/g),
    ).toBeNull()
    expect(xml.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g)).toBeNull()
    expect(() => JSON.parse(files.get('results.json') ?? '')).not.toThrow()
  })

  test('R5: never holds a secret of the parent', async () => {
    const forms = [
      SECRET,
      Buffer.from(SECRET).toString('base64').slice(0, -4),
      encodeURIComponent(SECRET),
      BASE64.slice(8, -4),
    ]
    const outputs = new Map([...files, ['stdout', run.stdout], ['stderr', run.stderr]])
    const leaks = [...outputs].flatMap(([name, text]) =>
      // A code between its letters hides nothing.
      forms
        .filter((form) => text.includes(form) || withoutCodes(text).includes(form))
        .map((form) => `${name}: ${form}`),
    )
    expect(leaks.filter((leak) => !leak.startsWith('evals/scenarios/'))).toEqual([])
    expect(run.stdout).toContain('[REDACTED:MY_API_KEY]')
    expect([...files.keys()].filter((name) => name.endsWith('leak.txt'))).toEqual([])
    const [report] = await durable.reports()
    const folder = report?.cases.find(({ name }) => name === 'secrets')?.runs[0]?.folder ?? ''
    expect(keptText(join(durable.project.root, folder), 'leak.txt')).toBe('key=[REDACTED:MY_API_KEY]\n')
  })
})

async function readAll(root: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(root, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
  return new Map(
    await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return [path.slice(root.length + 1), await readFile(path, 'utf8')] as const
      }),
    ),
  )
}

function withoutCodes(text: string): string {
  return text.replaceAll(/\u001b\[[\d;]*m|\\u001b\[[\d;]*m|\\x1b\[[\d;]*m/g, '')
}
