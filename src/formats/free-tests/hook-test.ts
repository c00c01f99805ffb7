import { basename, join } from 'node:path'
import { z } from 'zod'
import { errorAt, warningAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { suggestBeside } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import { normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { validate } from '../../lib/documents/validate.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts'
import { UNIVERSAL_EVENT_NAMES, findHookEvent, suggestEvent } from '../../packages/hook-events.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { listAssertions, processExpectations, testName, testPath, type ParsedTest } from './command-test.ts'
import type { HookTest } from './test-suite.ts'

const eventName = z.string().check(({ value, issues }) => {
  if (findHookEvent(value) !== null) return
  const hint = suggestEvent(value)
  const message = `not a hook event; there are ${UNIVERSAL_EVENT_NAMES.join(', ')}.${hint}`
  issues.push({ code: 'custom', input: value, message, params: { code: 'unknown-event' } })
})

/** `hooks/tests/cases/*.yaml` as written. */
const hookTestSchema = z.strictObject({
  name: testName,
  description: z.string().optional(),
  event: eventName,
  'hook-index': z.number().int('must be a whole number').min(0).optional(),
  input: z
    .strictObject({ fixture: testPath.optional(), overrides: z.record(z.string(), z.json()).optional() })
    .optional(),
  expected: processExpectations.optional(),
})

/** Where a hook test's names lead. */
interface HookTestContext {
  /** Absolute path of `hooks/tests/`, to which fixtures are relative. */
  readonly testsDir: string
  readonly agentPackage: AgentPackage
  readonly fs: TrackedFs
}

/** Reads one test of hooks with its fixture. */
export async function parseHookTest(document: ReadDocument, context: HookTestContext): Promise<ParsedTest<HookTest>> {
  const { value, issues } = validate(document, hookTestSchema)
  if (value === null) return { test: null, issues }

  const event = findHookEvent(value.event)?.name ?? value.event
  const hookIndex = value['hook-index'] ?? 0
  const groupIssues = checkGroup(event, hookIndex, document, context.agentPackage)
  const fixture = await readFixture(value.input?.fixture, document, context)
  // A fixture is shared by cases of several events: what is asked about is the case's own.
  const payload = applyOverrides({ ...fixture.payload, hookEventName: event }, value.input?.overrides, document)
  const test: HookTest = {
    kind: 'hook',
    id: value.name,
    name: value.name,
    description: value.description ?? null,
    event,
    hookIndex,
    payload: payload.value,
    assertions: listAssertions(value.expected, document),
    at: document.positionOf(['name']),
    runAt: document.positionOf(['event']),
  }
  return {
    test,
    issues: [...issues, ...groupIssues, ...fixture.issues, ...payload.issues, ...noExpectation(test, document)],
  }
}

function noExpectation({ assertions }: HookTest, document: ReadDocument): readonly Issue[] {
  if (assertions.length > 0) return []
  return [warningAt(document, ['expected'], 'no-expectations', 'no expectations: any decision passes')]
}

function checkGroup(name: string, index: number, document: ReadDocument, agentPackage: AgentPackage): readonly Issue[] {
  const groups = agentPackage.hookGroups.filter((group) => group.event === name)
  if (groups.some((group) => group.index === index)) return []
  const broken = agentPackage.findings.find(({ severity, part }) => severity === 'error' && part?.kind === 'hook')
  if (groups.length === 0) {
    const reason = broken === undefined ? '' : ` (${broken.field}: ${broken.message})`
    return [
      errorAt(
        document,
        ['event'],
        'unknown-hook',
        `${nameOf(agentPackage)} has no hook in working order for ${JSON.stringify(name)}${reason}`,
      ),
    ]
  }
  const range = groups.length === 1 ? 'only 0' : `0 to ${groups.length - 1}`
  return [
    errorAt(
      document,
      ['hook-index'],
      'unknown-hook',
      `${nameOf(agentPackage)} has no such group for ${JSON.stringify(name)}; it has ${range}`,
    ),
  ]
}

function nameOf({ hooksFile }: AgentPackage): string {
  return hooksFile === null ? 'the package' : basename(hooksFile)
}

interface ReadFixture {
  readonly payload: JsonObject
  readonly issues: readonly Issue[]
}

async function readFixture(
  path: string | undefined,
  document: ReadDocument,
  context: HookTestContext,
): Promise<ReadFixture> {
  if (path === undefined) return { payload: {}, issues: [] }
  const file = join(context.testsDir, normalizeRelativePath(path))
  const refuseFixture = (code: string, message: string): ReadFixture => ({
    payload: {},
    issues: [errorAt(document, ['input', 'fixture'], code, message)],
  })
  const { text, issue } = await context.fs.readText(file)
  if (issue?.code === 'file-missing') {
    const hint = path.startsWith('tests/')
      ? `; write ${JSON.stringify(path.slice('tests/'.length))}`
      : await suggestBeside(path, context.testsDir, context.fs)
    return refuseFixture('file-missing', `${path} does not exist below the folder tests/ of the hooks${hint}`)
  }
  if (issue !== null) return { payload: {}, issues: [issue] }

  const fixture = readDocument(text, { kind: 'json', file, what: 'event' })
  if (fixture.issues.length > 0) return { payload: {}, issues: fixture.issues }
  if (isJsonObject(fixture.value)) return { payload: fixture.value, issues: [] }
  return { payload: {}, issues: [errorAt(fixture, [], 'wrong-type', 'expected an object, the event of a hook')] }
}

function applyOverrides(
  payload: JsonObject,
  overrides: Readonly<Record<string, JsonValue>> | undefined,
  document: ReadDocument,
): { readonly value: JsonObject; readonly issues: readonly Issue[] } {
  const issues: Issue[] = []
  let value = payload
  for (const [path, replacement] of Object.entries(overrides ?? {})) {
    const result = overrideAt(value, path, replacement)
    if (result.problem === null) value = result.value
    else {
      const issue = errorAt(document, ['input', 'overrides', path], 'invalid-override', result.problem)
      issues.push({ ...issue, ...document.keyPositionOf(['input', 'overrides', path]) })
    }
  }
  return { value, issues }
}

/** A copy with one value replaced, or why there is none. */
type Overridden =
  | { readonly value: JsonObject; readonly problem: null }
  | { readonly value: null; readonly problem: string }

/**
 * Replaces the value at a dotted path such as `toolInput.edits.0.new_string`. Objects on the way are made where
 * nothing is; a key that itself holds dots is found when it is there.
 */
export function overrideAt(root: JsonObject, path: string, value: JsonValue): Overridden {
  const steps = Object.hasOwn(root, path) ? [path] : path.split('.')
  if (steps.includes('')) return refuse('has an empty step; write names with one dot between them')
  const dangerous = steps.find((step) => DANGEROUS.has(step))
  if (dangerous !== undefined) return refuse(`${JSON.stringify(dangerous)} is not a field; remove it`)

  try {
    return { value: replace(root, steps, value, []) as JsonObject, problem: null }
  } catch (error) {
    if (error instanceof NoWay) return refuse(error.message)
    throw error
  }
}

const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

class NoWay extends Error {}

function replace(
  node: JsonValue | undefined,
  steps: readonly string[],
  value: JsonValue,
  above: readonly string[],
): JsonValue {
  const [step, ...rest] = steps
  if (step === undefined) return value
  const here = above.length === 0 ? 'the event' : above.join('.')
  if (Array.isArray(node)) {
    const list = node as readonly JsonValue[]
    const index = /^\d+$/.test(step) ? Number(step) : Number.NaN
    if (!(index <= list.length))
      throw new NoWay(`${here} is a list of ${list.length}; ${JSON.stringify(step)} is no place in it`)
    const copy = [...list]
    copy[index] = replace(list[index], rest, value, [...above, step])
    return copy
  }
  if (node !== undefined && node !== null && !isJsonObject(node)) {
    throw new NoWay(`${here} is ${JSON.stringify(node)}, in which there is no ${JSON.stringify(step)}`)
  }
  const object = isJsonObject(node) ? node : {}
  return { ...object, [step]: replace(object[step], rest, value, [...above, step]) }
}

function refuse(problem: string): Overridden {
  return { value: null, problem }
}
