import { isAbsolute, join } from 'node:path'
import { registeredName, segmentOf, toolName } from '../../engines/mocks/mock-spec.ts'
import { allOf, type Engines } from '../../engines/registry.ts'
import { kindOf, promptsOf } from '../../formats/kinds.ts'
import type { PluginEvalCase } from '../../formats/plugin-eval/model.ts'
import type { CasePart, Suite } from '../../formats/suite.ts'
import { valueAt } from '../../lib/documents/document.ts'
import { isFile, readTextFile } from '../../lib/files.ts'
import type { JsonValue } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { parseMarkdown } from '../../packages/front-matter.ts'
import { ROOT_VARIABLE, pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage, McpServer } from '../../packages/package.ts'
import type { Input } from '../../recordings/input.ts'
import type { PackageText, PackageTexts } from '../../recordings/visible-texts.ts'
import { pluginNameOf, type NamedPlugin } from '../../session/stand-ins.ts'

/** What a session is given, and with it everything that it may show its model. */
export interface TextsRequest {
  readonly package: AgentPackage
  /** Plugins of the case; the first is the package. */
  readonly plugins?: readonly AgentPackage[]
  readonly suite: Pick<Suite, 'file'>
  readonly evalCase: CasePart<'answers' | 'arm' | 'prompt' | 'turns' | 'workspaceFiles'>
  readonly inputs: readonly Pick<Input, 'file' | 'part' | 'path' | 'role'>[]
  /** Whose files of instructions count. @default the built-in ones */
  readonly engines?: Engines
}

/** Every text of a package and its case that a session may show its model, by the file that holds it. */
export function collectPackageTexts(request: TextsRequest): PackageTexts {
  const { package: pkg, plugins = [], suite, evalCase } = request
  const pluginCase = kindOf(evalCase).pluginCase(evalCase)
  const further = evalCase.arm === undefined ? plugins.slice(1) : []
  const texts = [
    ...promptsOf(evalCase).map((prompt, index) => {
      const part = index === 0 ? 'prompt' : `prompt of turn ${index + 1}`
      return { ...textIn(pkg)(suite.file, part, prompt), always: true, turn: index + 1 }
    }),
    // Which of them an agent comes to hear depends on what it asks.
    { ...textIn(pkg)(suite.file, 'answers', answersIn(evalCase)), always: true },
    ...[pkg, ...further].flatMap((one) => partTexts(one, evalCase)),
    ...caseTexts(request),
    ...pluginCaseTexts(pluginCase, suite.file).map((one) => ({ ...one, path: below(pkg, one.path) })),
  ]
  const toolFilesOf = [
    mockedToolFiles(pluginCase, plugins, (file) => below(pkg, file)),
    ...[pkg, ...further].map(toolFiles),
  ]
  return {
    texts: texts.filter(({ text }) => text.trim() !== ''),
    fileOfTool: (tool) => toolFilesOf.map((fileOf) => fileOf(tool)).find((file) => file !== null) ?? null,
  }
}

function answersIn({ answers = [] }: TextsRequest['evalCase']): string {
  const lines = answers.flatMap(({ question, answer }) => [
    ...(question === null ? [] : [`question: ${question.value}${question.flags === '' ? '' : ` ${question.flags}`}`]),
    ...answer.map((text) => `answer: ${text}`),
  ])
  return lines.join('\n')
}

function caseTexts({ package: pkg, suite, evalCase, inputs, engines }: TextsRequest): readonly PackageText[] {
  const text = textIn(pkg)
  const isInstruction = instructionFilter(engines)
  const ofCase = inputs.filter((input) => isPlaced(input) && isInstruction(input.path))
  return [
    ...inputs
      .filter((input) => isNativeText(input, pkg, allOf('toolFolders', engines)))
      .map(({ file }) => text(file, 'text', readParts(file).body)),
    ...ofCase.flatMap(({ file }) => {
      const { description, body } = readParts(file)
      return [text(file, 'description', description), text(file, 'body', body)]
    }),
    ...evalCase.workspaceFiles.flatMap(({ from, to, content }) =>
      from === null && isInstruction(to) ? [text(suite.file, `workspace file ${to}`, content)] : [],
    ),
  ]
}

function partTexts(pkg: AgentPackage, evalCase: TextsRequest['evalCase']): readonly PackageText[] {
  const text = textIn(pkg)
  return [
    ...pkg.skills.flatMap(({ file, description, body }) => [
      text(file, 'description', description),
      // What a skill says once it is used has no part in whether it is.
      ...(kindOf(evalCase).isQuery ? [] : [text(file, 'body', body)]),
    ]),
    ...pkg.agents.flatMap((agent) => [
      text(agent.file, 'description', agent.description),
      ...(agent.parts ?? [{ file: agent.promptFile, text: agent.prompt }]).map((part) =>
        text(part.file, 'prompt', part.text),
      ),
    ]),
    ...pkg.commands.flatMap(({ file, description, body }) => [
      text(file, 'description', description),
      text(file, 'body', body),
    ]),
    ...pkg.rules.map(({ file }) => text(file, 'rule', readParts(file).body)),
    ...(pkg.instructionsFile === null
      ? []
      : [text(pkg.instructionsFile, 'text', readParts(pkg.instructionsFile).whole)]),
    ...pkg.hookGroups
      .flatMap(({ hooks }) => hooks)
      .flatMap((hook) =>
        hook.type === 'prompt' ? [text(pkg.hooksFile ?? 'hooks/hooks.json', 'prompt hook', hook.prompt)] : [],
      ),
  ]
}

function textIn(pkg: AgentPackage): (file: string, part: string, content: string) => PackageText {
  return (file, part, content) => ({ path: below(pkg, file), part, text: content, always: false })
}

/** Which files of the case's own an engine or a package format reads by itself, where they are. */
function instructionFilter(engines: Engines | undefined): (path: string) => boolean {
  const names = new Set([...PART_FILES, ...allOf('instructionFiles', engines)])
  const folders = allOf('toolFolders', engines)
  return (path) => {
    const segments = path.split('/')
    if (names.has(segments.at(-1) ?? '')) return true
    const at = segments.findIndex(
      (name, index) => folders.includes(name) && PART_FOLDERS.has(segments[index + 1] ?? ''),
    )
    return at !== -1 && at < segments.length - 2 && path.endsWith('.md')
  }
}

// What an engine reads by itself in a project, beside the parts of the package.
function isNativeText(
  { file, path, part }: Pick<Input, 'file' | 'part' | 'path'>,
  { instructionsFile }: AgentPackage,
  toolFolders: readonly string[],
): boolean {
  if (part?.kind === 'text') return file !== instructionsFile
  return part?.kind === 'rule' && toolFolders.includes(path.split('/')[0] ?? '')
}

// A skill's eval gets a copy of its project, where an engine reads such files as in the project itself.
function isPlaced({ part, role }: Pick<Input, 'part' | 'role'>): boolean {
  return role === 'fixture' || role === 'overlay' || (role === 'package' && part === null)
}

const PART_FILES = ['RULE.md', 'SKILL.md']
const PART_FOLDERS: ReadonlySet<string> = new Set(['agents', 'commands', 'instructions', 'rules'])

function readParts(file: string): { readonly whole: string; readonly description: string; readonly body: string } {
  const whole = readTextFile(file)
  const markdown = parseMarkdown(whole, file)
  const description = valueAt(markdown.fields?.value, 'description')
  return { whole, description: typeof description === 'string' ? description : '', body: markdown.body }
}

function toolFiles(pkg: AgentPackage): (tool: string) => string | null {
  const servers = pkg.mcpServers.map((server) => {
    return { prefixes: toolPrefixes(server.name, [pkg]), file: programOf(server, pkg) }
  })
  return (tool) => servers.find(({ prefixes }) => prefixes.some((prefix) => tool.startsWith(prefix)))?.file ?? null
}

// The file of the package that the server is started from; a server from elsewhere is known by servers.json alone.
function programOf({ config }: McpServer, pkg: AgentPackage): string {
  const words = [config['command'], ...(Array.isArray(config['args']) ? (config['args'] as readonly JsonValue[]) : [])]
  const distinct = new Set(words.flatMap((word) => (typeof word === 'string' ? [word] : [])))
  const files = [...distinct].map((word) => word.replace(ROOT_VARIABLE, '').replace(/^\.\//, ''))
  const found = files.find((file) => !isAbsolute(file) && isFile(join(pkg.root, file)))
  return below(pkg, found === undefined ? (pkg.mcpFile ?? 'mcp/servers.json') : join(pkg.root, found))
}

function below(pkg: AgentPackage, file: string): string {
  return isAbsolute(file) ? pathFrom(pkg.reportRoot ?? pkg.root, file) : file
}

/** Texts of a case of `claude plugin eval` that its model is shown beside the prompt, by absolute path. */
function pluginCaseTexts(pluginEval: PluginEvalCase | null, caseFile: string): readonly PackageText[] {
  if (pluginEval === null) return []
  const history = pluginEval.context.history === null ? null : join(pluginEval.caseDir, pluginEval.context.history)
  const appended = pluginEval.execution.appendSystemPrompt
  return [
    ...(appended === null ? [] : [{ path: caseFile, part: 'append_system_prompt', text: appended, always: true }]),
    // A session may be long, so its hash is compared.
    ...(history === null
      ? []
      : [{ path: history, part: 'history', text: sha256(readTextFile(history)), always: true }]),
  ]
}

/** The file that describes a mocked tool, by the name that an agent calls it. */
function mockedToolFiles(
  pluginEval: PluginEvalCase | null,
  plugins: readonly NamedPlugin[],
  shown: (file: string) => string,
): (tool: string) => string | null {
  const files = new Map(
    (pluginEval?.mocks ?? []).flatMap((server) =>
      server.tools.flatMap(({ name, toolsFile }) =>
        toolPrefixes(server.name, plugins).map((prefix) => [`${prefix}${name}`, shown(toolsFile)] as const),
      ),
    ),
  )
  return (tool) => files.get(tool) ?? null
}

/** What the names of a server's tools begin with: alone, as a server of a plugin, and for engines that use a dash. */
function toolPrefixes(server: string, plugins: readonly NamedPlugin[]): readonly string[] {
  return [
    toolName(server, ''),
    ...plugins.map((plugin) => toolName(registeredName({ name: server, plugin: pluginNameOf(plugin) }), '')),
    `${segmentOf(server)}-`,
  ]
}
