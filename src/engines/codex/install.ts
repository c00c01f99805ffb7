import { AgentEvalsError } from '../../errors.ts'
import { copyProject } from '../install/copy-project.ts'
import { copyInstructions, copySkills } from '../install/copy-skills.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import { fillServers } from '../install/mcp-servers.ts'
import { agentFile } from './agent-file.ts'
import { sessionConfig } from './config.ts'
import { foldRules } from './fold-rules.ts'
import { formatJson } from '../../json.ts'
import type { InstallRequest, Installation } from '../engine.ts'

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
    hookPlan: { packageRoot: paths.packageRoot, hooks: hooks.planned, ...hooks.variables },
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
