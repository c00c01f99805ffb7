import { stringify } from 'smol-toml'
import { AgentEvalsError } from '../../lib/errors.ts'
import { formatJson } from '../../lib/json.ts'
import type { Rule, SubAgent } from '../../packages/package.ts'
import type { InstallRequest, Installation } from '../engine.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import { copyInstructions, copyProject, copySkills, fileNameOf, fillServers, readRule } from '../install.ts'
import { sessionConfig } from './command.ts'

/** Lays a package out as Codex expects it: skills below `.agents`, hooks and agents below `.codex`, the rest in its home. */
export function install(request: InstallRequest): Installation {
  const skills = copySkills(request, SKILLS)
  const agents = request.package.agents.map(agentFile)
  const hooks = installHooks(request.package, request.paths, HOOKS)
  const mcp = fillServers(request)
  const rules = foldRules(request.package.rules)
  const { paths } = request
  const config = sessionConfig({ paths, servers: mcp.servers, instructions: targetPrompt(request) })
  return {
    files: [
      ...agents.map(({ file }) => file),
      ...(hooks.settings === null
        ? []
        : [{ to: '.codex/hooks.json', content: formatJson({ hooks: hooks.settings }), readOnly: true as const }]),
    ],
    skillsFolder: SKILLS,
    copies: [...skills.copies, ...copyInstructions(request), ...copyProject(request.package)],
    configFiles: [
      { to: 'config.toml', content: config, readOnly: true },
      { to: 'rules/commands.rules', content: ALLOWED_COMMANDS, readOnly: true },
      ...(rules.text === null ? [] : [{ to: 'AGENTS.md', content: rules.text, readOnly: true as const }]),
    ],
    hookPlan: {
      packageRoot: paths.packageRoot,
      hooks: hooks.planned,
      ...hooks.variables,
      unheeded: ['ask', 'continue'],
    },
    warnings: [skills, ...agents, hooks, mcp, rules].flatMap(({ warnings }) => warnings),
  }
}

const SKILLS = '.agents/skills'

const HOOKS: HookDialect = {
  engine: 'Codex',
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
export function agentFile({ name, description, prompt, tools, file }: SubAgent): {
  readonly file: Installation['files'][number]
  readonly warnings: readonly string[]
} {
  const content = stringify({ name, description, developer_instructions: prompt })
  return {
    file: { to: `.codex/agents/${fileNameOf(name)}.toml`, content },
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
  const texts = folded.flatMap(({ text }) => (text === null ? [] : [text]))
  return {
    text: texts.length === 0 ? null : `${texts.join('\n\n')}\n`,
    warnings: folded.flatMap(({ warning }) => (warning === null ? [] : [warning])),
  }
}

function foldRule(rule: Rule): { readonly text: string | null; readonly warning: string | null } {
  const { body, mode, globs } = readRule(rule, 'codex')
  const text = body.trim()
  switch (mode) {
    case 'none':
      return { text: null, warning: null }
    case 'manual':
      return {
        text: null,
        warning: `${rule.file}: the rule applies only when it is named; Codex has no such rules, so it is omitted.`,
      }
    case 'files':
      return {
        text: `For files that match ${globs.join(', ')}:\n\n${text}`,
        warning: `${rule.file}: Codex has no rules for some files, so it is part of the instructions.`,
      }
    case 'intelligent':
      return {
        text,
        warning: `${rule.file}: Codex has no rules that the agent chooses, so it always applies.`,
      }
    case 'always':
      return { text, warning: null }
  }
}
