import { missingScript, unexecutableScript } from '../../case/free-tests/missing-script.ts'
import { claudeCode } from '../../engines/claude-code/engine.ts'
import { requireEngine } from '../../engines/registry.ts'
import type { SuiteConfig } from '../../formats/suite.ts'
import { errorAt, warningAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { nearestName, suggestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { messageOf } from '../../lib/errors.ts'
import { folderVariables } from '../../packages/package-root.ts'
import type { AgentPackage, HookGroup, SubAgent } from '../../packages/package.ts'

/**
 * Finds hooks that never run, which an engine takes for consent: their script is not there or cannot be started, or the
 * matcher misspells a tool. And skills that an agent.yaml names and the package does not have: the agent works without.
 */
export async function findPackageProblems(pkg: AgentPackage): Promise<readonly Issue[]> {
  const names = pkg.skills.map(({ name }) => name)
  const found = await Promise.all([
    ...pkg.hookGroups.map((group) => lookAtHooks(group, pkg)),
    ...pkg.agents.map((agent) => lookAtAgent(agent, names)),
  ])
  return found.flat()
}

async function lookAtHooks(group: HookGroup, { root, hooksFile }: AgentPackage): Promise<readonly Issue[]> {
  const { native, event, index, hooks } = group
  const { file, path } = native ?? { file: hooksFile, path: ['hooks', event, index] }
  const matcher = native === undefined ? null : whyUnmatched(group)
  const commands = hooks.flatMap((hook, position) => {
    const problem = hook.type === 'command' ? whyNotStarted(hook.command, root) : null
    return problem === null ? [] : [{ ...problem, path: [...path, 'hooks', position, 'command'] }]
  })
  if (file === null || (matcher === null && commands.length === 0)) return []
  const document = await read(file, 'json')
  return [
    ...(matcher === null ? [] : [warningAt(document, [...path, 'matcher'], 'unknown-tool', matcher)]),
    ...commands.map(({ path: at, code, message }) => errorAt(document, at, code, message)),
  ]
}

function whyNotStarted(command: string, root: string): { readonly code: string; readonly message: string } | null {
  const env = { ...process.env, ...folderVariables({ packageRoot: root, workspace: root }) }
  // What a variable of the session will hold is not known here.
  if ([...command.matchAll(/\$\{?(\w+)\}?/g)].some(([, name = '']) => env[name] === undefined)) return null
  const missing = missingScript(command, root, env)?.replace(`${root}/`, '')
  if (missing !== undefined) return { code: 'missing-script', message: `there is no script ${missing}` }
  const script = unexecutableScript(command, root, env)?.replace(`${root}/`, '')
  return script === undefined
    ? null
    : { code: 'not-executable', message: `${script} is not executable; run chmod +x ${script}` }
}

function whyUnmatched({ event, matcher }: HookGroup): string | null {
  if (matcher === null || !/-tool-use$|^permission-request$/.test(event)) return null
  const tools = claudeCode.toolNames ?? []
  // `Bash(ls:*)` is a rule of permissions: a matcher sees only the name of the tool.
  const parts = matcher.split('|').filter((part) => /^(?!mcp__)\w+(?:\(.+\))?$/.test(part) && !tools.includes(part))
  const [message] = parts.flatMap((part) => {
    const near = nearestName(part.replace(/\(.+/, ''), tools)
    return near === null
      ? []
      : [`${JSON.stringify(part)} matches no tool; write its name alone, ${JSON.stringify(near)}`]
  })
  return message ?? null
}

async function lookAtAgent({ file, skills }: SubAgent, names: readonly string[]): Promise<readonly Issue[]> {
  // `package:skill` is another package's. An agent of one Markdown file is read by the engine itself.
  const unknown = skills.filter((name) => file.endsWith('.yaml') && !name.includes(':') && !names.includes(name))
  if (unknown.length === 0) return []
  const document = await read(file, 'yaml')
  return unknown.map((name) => {
    const message = `the package has no skill "${name}".${suggestName(name, names)}`
    return warningAt(document, ['skills', skills.indexOf(name)], 'unknown-skill', message)
  })
}

/** An error for an engine that cannot be driven; every case of the configuration would be errored. */
export async function findUnsupportedEngine({ file, engine }: SuiteConfig): Promise<readonly Issue[]> {
  if (file === null || engine === null) return []
  try {
    requireEngine(engine)
    return []
  } catch (error) {
    return [errorAt(await read(file, 'json'), ['engine'], 'unsupported-engine', messageOf(error))]
  }
}

async function read(file: string, kind: 'json' | 'yaml'): Promise<ReadDocument> {
  return readDocument((await readText(file)).text ?? '', { kind, file, what: 'file' })
}
