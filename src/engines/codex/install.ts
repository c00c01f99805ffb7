import { stringify } from 'smol-toml'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { Rule, SubAgent } from '../../packages/package.ts'
import type { InstallRequest, Installation } from '../engine.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import {
  copyInstructions,
  copyProject,
  copySkills,
  describeSettings,
  fileNameOf,
  fillServers,
  installEach,
  readRule,
  type InstalledParts,
} from '../install.ts'
import { sessionConfig } from './command.ts'

/** Lays a package out as Codex expects it: skills below `.agents`, hooks and agents below `.codex`, the rest in its home. */
export function install(request: InstallRequest): Installation {
  const skills = copySkills(request, SKILLS)
  const agents = installEach(request.package.agents, installAgent)
  const hooks = installHooks(request.package, request.paths, HOOKS)
  const mcp = fillServers(request)
  const rules = foldRules(request.package.rules)
  const { paths } = request
  const config = sessionConfig({ paths, servers: mcp.servers, instructions: targetPrompt(request) })
  return {
    files: [...agents.files, ...hooks.files],
    skillsFolder: SKILLS,
    copies: [...skills.copies, ...copyInstructions(request), ...copyProject(request.package)],
    configFiles: [
      { to: 'config.toml', content: config, readOnly: true },
      { to: 'rules/commands.rules', content: ALLOWED_COMMANDS, readOnly: true },
      ...(rules.text === null ? [] : [{ to: 'AGENTS.md', content: rules.text, readOnly: true as const }]),
    ],
    hookPlan: { ...hooks.plan, unheeded: ['ask', 'continue'] },
    warnings: [
      ...[skills, agents, hooks, mcp, rules].flatMap(({ warnings }) => warnings),
      ...describeSettings(request.package, 'Codex'),
    ],
  }
}

const SKILLS = '.agents/skills'

const HOOKS: HookDialect = {
  engine: 'Codex',
  file: '.codex/hooks.json',
  eventOf: ({ name, native, nativeOnly }) => (name === 'notification' || nativeOnly === true ? null : native),
  runsPrompts: false,
}

// Where no user can be asked Codex refuses some commands outright, which a sandbox makes harmless. The second rule is for
// scripts that it cannot take apart, such as one that redirects an output.
const ALLOWED_COMMANDS = [
  'prefix_rule(pattern=["rm"], decision="allow")',
  `prefix_rule(pattern=[${JSON.stringify(['bash', 'sh', 'zsh'].flatMap(placesOf))}, ["-c", "-lc"]], decision="allow")`,
  '',
].join('\n')

function placesOf(shell: string): readonly string[] {
  return [shell, `/bin/${shell}`, `/usr/bin/${shell}`]
}

function targetPrompt({ target, package: { agents, root } }: InstallRequest): string | null {
  if (target?.kind !== 'agent') return null
  const agent = agents.find(({ name }) => name === target.name)
  if (agent !== undefined) return agent.prompt
  throw new AgentEvalsError(
    'missing-input',
    `There is no agent "${target.name}" in ${root}. Add it, or correct \`target\`.`,
  )
}

/** An agent as `.codex/agents/<name>.toml`. */
export function installAgent({ name, description, prompt, tools, file }: SubAgent): InstalledParts {
  const content = stringify({ name, description, developer_instructions: prompt })
  return {
    files: [{ to: `.codex/agents/${fileNameOf(name)}.toml`, content }],
    warnings: tools.length === 0 ? [] : [`${file}: Codex gives every agent all tools; \`tools\` has no effect.`],
  }
}

/**
 * Rules as one text for the AGENTS.md of the CLI's home, which it puts before the project's own; `null` when there are
 * none. Codex has no rules of its own.
 */
function foldRules(rules: readonly Rule[]): {
  readonly text: string | null
  readonly warnings: readonly string[]
} {
  const folded = rules.map(foldRule)
  const texts = folded.flatMap((rule) => rule.texts)
  return {
    text: texts.length === 0 ? null : `${texts.join('\n\n')}\n`,
    warnings: folded.flatMap(({ warnings }) => warnings),
  }
}

function foldRule(rule: Rule): { readonly texts: readonly string[]; readonly warnings: readonly string[] } {
  const { body, applies, globs, warnings } = readRule(rule, 'codex', 'Codex')
  if (applies === 'never') return { texts: [], warnings }
  if (applies === 'always') return { texts: [body.trim()], warnings }
  return {
    texts: [`For files that match ${globs.join(', ')}:\n\n${body.trim()}`],
    warnings: [`${rule.file}: Codex has no rules for some files, so it is part of the instructions.`],
  }
}
