import { lstatSync } from 'node:fs'
import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { AgentEvalsError } from '../errors.ts'
import { timedOut, type Performed } from './perform.ts'
import { runScript } from './run-script.ts'
import { tryParseJson } from '../json.ts'
import type { AssertRequest } from './request.ts'
import type { SkillTest } from '../suites/tests/test-suite.ts'
import type { PackageCopy } from '../workspace/package-copy.ts'

/** Runs a skill's command in the skill's folder. */
export async function performSkillTest(test: SkillTest, copy: PackageCopy, request: AssertRequest): Promise<Performed> {
  const { suite, settings, signal } = request
  const { config } = suite
  const cwd = join(copy.root, relative(suite.packageRoot, suite.partDir))
  requireFiles(test, cwd, suite.file)
  // A folder that holds nothing but cases has left nothing to copy.
  mkdirSync(cwd, { recursive: true })
  const ended = await runScript({
    command: test.command,
    cwd,
    copy,
    config,
    stdin: test.stdin,
    deadlineMs: config.timeout * 1000,
    runTag: settings.runTag,
    signal,
  })
  const output = { ...ended, json: tryParseJson(ended.stdout) }
  return ended.timedOut ? timedOut(config.timeout, 'the command', output) : { kind: 'ended', output }
}

function requireFiles(test: SkillTest, cwd: string, file: string): void {
  const missing = test.files.filter(({ path }) => !isFileOrFolder(join(cwd, path)))
  if (missing.length === 0) return
  const places = missing.map(({ path, at }) => `${path} (line ${at.line})`).join(', ')
  throw new AgentEvalsError(
    'missing-input',
    `The test needs files that are not in the skill's folder: ${places}. Add them, or correct \`input.files\` in ${file}.`,
  )
}

function isFileOrFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true || found?.isDirectory() === true
}
