import type { ReadCase } from '../read-report.ts'

/**
 * Says what two runs of a case were asked differently, in words: prompt, checks, criteria, files, judge. Empty when
 * they can be compared, also where a report does not say.
 */
export function whatDiffers(before: ReadCase, after: ReadCase): readonly string[] {
  return [...askedParts(before, after), ...files(before, after), ...judges(before, after)]
}

function askedParts(before: ReadCase, after: ReadCase): readonly string[] {
  if (has(before, PARTS) && has(after, PARTS)) {
    // A test that came to its end earlier has shown less of what it asks.
    const isCode = has(before, ['code']) && has(after, ['code'])
    const isKnown = (role: string): boolean => !isCode || (has(before, [role]) && has(after, [role]))
    const parts = PARTS.filter((role) => isKnown(role) && hashOf(before, role) !== hashOf(after, role))
    return parts.map((role) => WORDS[role])
  }
  if (has(before, ['case']) && has(after, ['case'])) {
    return hashOf(before, 'case') === hashOf(after, 'case') ? [] : ['case file']
  }
  // A case that was cut short has no hashes: the kinds of its checks are all that is known.
  const [from, to] = [kindsOf(before), kindsOf(after)]
  return from !== '' && to !== '' && from !== to ? ['checks'] : []
}

function kindsOf({ deterministic_checks: checks }: ReadCase): string {
  return Object.keys(checks).toSorted().join()
}

function files(before: ReadCase, after: ReadCase): readonly string[] {
  // A case that could not be started lists nothing.
  if (!has(before, ['case']) || !has(after, ['case'])) return []
  const [from, to] = [changedFilesOf(before), changedFilesOf(after)]
  const paths = [...new Set([...from.keys(), ...to.keys()])].filter((path) => from.get(path) !== to.get(path))
  return paths.toSorted().map((path) => `fixture ${path}`)
}

// A default judge is the agent's model, and changes with it: that is named once of the reports.
function judges(before: ReadCase, after: ReadCase): readonly string[] {
  const [from, to] = [before.judge_verdict?.model ?? null, after.judge_verdict?.model ?? null]
  const followsAgent = from === before.agent.model && to === after.agent.model
  return from !== null && to !== null && from !== to && !followsAgent ? [`judge ${from} / ${to}`] : []
}

function changedFilesOf({ inputs }: ReadCase): ReadonlyMap<string, string> {
  return new Map(inputs.filter(({ role }) => FILES.has(role)).map(({ path, hash }) => [path, hash]))
}

function has({ inputs }: ReadCase, roles: readonly string[]): boolean {
  return inputs.some(({ role }) => roles.includes(role))
}

function hashOf({ inputs }: ReadCase, part: string): string | undefined {
  return inputs.find(({ role }) => role === part)?.hash
}

const PARTS = ['code', 'prompt', 'checks', 'workspace', 'criteria', 'judge-prompt'] as const
const FILES: ReadonlySet<string> = new Set(['fixture', 'overlay'])
const WORDS: Readonly<Record<(typeof PARTS)[number], string>> = {
  code: "test's code",
  prompt: 'prompt',
  checks: 'checks',
  workspace: 'files of the workspace',
  criteria: 'criteria',
  'judge-prompt': "judge's prompt",
}
