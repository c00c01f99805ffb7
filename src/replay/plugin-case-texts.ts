import { pluginNameOf, type NamedPlugin } from '../agent/plugin-case/case-plugins.ts'
import { registeredName, segmentOf, toolName } from '../engines/mocks/stand-in.ts'
import { sha256 } from '../sha256.ts'
import type { PackageText } from '../recordings/visible-lines.ts'
import type { PluginEvalCase } from '../suites/formats/plugin-eval/model.ts'
import { readTextFile } from '../files.ts'

/** Texts of a case of `claude plugin eval` that its model is shown beside the prompt, by absolute path. */
export function pluginCaseTexts(pluginEval: PluginEvalCase | null, caseFile: string): readonly PackageText[] {
  if (pluginEval === null) return []
  const { context, execution } = pluginEval
  const appended = execution.appendSystemPrompt
  return [
    ...(appended === null ? [] : [always(caseFile, 'append_system_prompt', appended)]),
    // A session may be long, so its hash is compared.
    ...(context.history === null ? [] : [always(context.history.file, 'history', hashOf(context.history.file))]),
  ]
}

function always(path: string, part: string, text: string): PackageText {
  return { path, part, text, always: true }
}

function hashOf(file: string): string {
  return sha256(readTextFile(file))
}

/** The file that describes a mocked tool, by the name that an agent calls it. */
export function mockedToolFiles(
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
export function toolPrefixes(server: string, plugins: readonly NamedPlugin[]): readonly string[] {
  return [
    toolName(server, ''),
    ...plugins.map((plugin) => toolName(registeredName({ name: server, plugin: pluginNameOf(plugin) }), '')),
    `${segmentOf(server)}-`,
  ]
}
