import { copyProject } from '../install/copy-project.ts'
import { copyInstructions, copySkills } from '../install/copy-skills.ts'
import { installHooks, type HookDialect } from '../hooks/install-hooks.ts'
import { agentFile } from './agent-file.ts'
import { installMcp } from './install-mcp.ts'
import { installRules } from './install-rules.ts'
import { hookMatcher } from './tool-names.ts'
import { formatJson } from '../../json.ts'
import type { InstallRequest, Installation } from '../engine.ts'

/** Lays a package out as Copilot expects it below a project's `.github` folder. */
export function install(request: InstallRequest): Installation {
  const { paths } = request
  const skills = copySkills(request, '.github/skills')
  const agents = request.package.agents.map(agentFile)
  const hooks = installHooks(request.package, paths, HOOKS)
  const mcp = installMcp(request)
  const rules = installRules(request.package.rules)
  return {
    files: [
      ...agents.map(({ file }) => file),
      ...rules.files,
      ...(hooks.settings === null
        ? []
        : [
            {
              to: '.github/hooks/package.json',
              content: formatJson({ version: 1, hooks: hooks.settings }),
              readOnly: true as const,
            },
          ]),
    ],
    copies: [...skills.copies, ...copyInstructions(request), ...copyProject(request.package)],
    configFiles: [{ to: 'settings.json', content: formatJson(SETTINGS), readOnly: true }, ...mcp.configFiles],
    hookPlan: { packageRoot: paths.packageRoot, hooks: hooks.planned, ...hooks.variables, denials: 'json' },
    warnings: [skills, ...agents, rules, hooks, mcp].flatMap(({ warnings }) => warnings),
  }
}

// Where events have these names, hooks get calls and may answer as in Claude Code.
const HOOKS: HookDialect = {
  engine: 'Copilot',
  eventOf: ({ native, nativeOnly }) => (nativeOnly === true ? null : native),
  runsPrompts: false,
  matcherOf: hookMatcher,
}

const SETTINGS = {
  autoUpdate: false,
  memory: false,
  // The CLI's own would compete with those under test.
  disabledSkills: ['customize-cloud-agent', 'discover-resources', 'github-pr-media'],
  ide: { autoConnect: false },
}
