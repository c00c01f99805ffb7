import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { JsonValue } from '../json.ts'
import { readFrontMatter } from '../suites/document/front-matter.ts'
import type { OurTexts } from '../recordings/seen.ts'
import type { OurText } from '../recordings/sight.ts'
import type { AgentPackage, McpServer } from '../suites/package.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'

/** Every text of a package and its case that a session may show its model, by the file that holds it. */
export function collectOurTexts(
  pkg: AgentPackage,
  suite: Pick<Suite, 'file'>,
  evalCase: Pick<EvalCase, 'prompt'>,
): OurTexts {
  const text = (file: string, part: string, content: string): OurText => {
    return { path: below(pkg, file), part, text: content, always: false }
  }
  const texts = [
    { ...text(suite.file, 'prompt', evalCase.prompt), always: true },
    ...pkg.skills.flatMap(({ file, description, body }) => [
      text(file, 'description', description),
      text(file, 'body', body),
    ]),
    ...pkg.agents.flatMap((agent) => [
      text(agent.file, 'description', agent.description),
      text(agent.promptFile, 'prompt', agent.prompt),
    ]),
    ...pkg.commands.flatMap(({ file, description, body }) => [
      text(file, 'description', description),
      text(file, 'body', body),
    ]),
    ...pkg.rules.flatMap(({ file }) => readBody(file).map((body) => text(file, 'rule', body))),
    ...(pkg.instructionsFile === null
      ? []
      : [text(pkg.instructionsFile, 'text', readFileSync(pkg.instructionsFile, 'utf8'))]),
    ...promptHooks(pkg).map((prompt) => text(pkg.hooksFile ?? 'hooks/hooks.json', 'prompt hook', prompt)),
  ]
  return { texts: texts.filter(({ text: content }) => content.trim() !== ''), fileOfTool: toolFiles(pkg) }
}

function promptHooks({ hookGroups }: AgentPackage): readonly string[] {
  return hookGroups.flatMap(({ hooks }) => hooks.flatMap((hook) => (hook.type === 'prompt' ? [hook.prompt] : [])))
}

function readBody(file: string): readonly string[] {
  const { body } = readFrontMatter(readFileSync(file, 'utf8'), file)
  return [body]
}

// Engines name the tools of an MCP server `mcp__<server>__<tool>`, with what is no letter replaced.
function toolFiles(pkg: AgentPackage): (tool: string) => string | null {
  const servers = pkg.mcpServers.map((server) => {
    return { prefix: `mcp__${server.name.replaceAll(/[^\w-]/g, '_')}__`, file: programOf(server, pkg) }
  })
  return (tool) => servers.find(({ prefix }) => tool.startsWith(prefix))?.file ?? null
}

// The file of the package that the server is started from; a server from elsewhere is known by servers.json alone.
function programOf({ config }: McpServer, pkg: AgentPackage): string {
  const words = [config['command'], ...(Array.isArray(config['args']) ? (config['args'] as readonly JsonValue[]) : [])]
  const known = new Set(words.flatMap((word) => (typeof word === 'string' ? [word] : [])))
  const files = [...known].map((word) => word.replace(/^\$\{?PACKAGE_ROOT\}?\//, '').replace(/^\.\//, ''))
  const found = files.find((file) => !isAbsolute(file) && isFile(join(pkg.root, file)))
  return found ?? below(pkg, pkg.mcpFile ?? 'mcp/servers.json')
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}

function below(pkg: AgentPackage, file: string): string {
  return isAbsolute(file) ? relative(pkg.reportRoot ?? pkg.root, file).split(sep).join('/') : file
}
