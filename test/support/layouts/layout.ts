import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A way in which people lay files out, and what the CLI loads of them. */
export interface Layout {
  /** Part of the name of everything in it that the CLI could load. */
  readonly name: string
  readonly files: Readonly<Record<string, string | Link>>
  /**
   * How it is started: a plugin by `--plugin-dir`; a project in its own folder; `shared` together with all others that
   * share a project, each with its own paths.
   */
  readonly as: 'plugin' | 'project' | 'shared'
  /** The folder below the layout in which the session is started. @default the layout itself */
  readonly stands?: string
  /** The plugin that is installed from the marketplace in the layout. */
  readonly installs?: string
  /** What the CLI loads, as {@link namesIn} writes it; the prefix of a plugin is left out. */
  readonly loads: readonly string[]
  /** Why a session of ours has something else. */
  readonly differs?: string
}

/** A symbolic link. `<outside>` in its target is a folder beside all layouts. */
interface Link {
  readonly link: string
}

/** The text of a skill. */
export function skill(name: string, more = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name}\n${more}---\nThe body.\n`
}

/** The text of an agent. */
export function agent(name: string): string {
  return `---\nname: ${name}\ndescription: Helps with ${name}\n---\nThe prompt.\n`
}

/** A text that is seen in the first request when the CLI loads it. */
export function says(what: string): string {
  return `SAYS-${what}.\n`
}

/** Hooks whose output is seen in the first request when they run. */
export function hooksThatSay(what: string): string {
  return JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `echo SAYS-${what}` }] }] },
  })
}

/** A server that ends at once, which the CLI names all the same; of servers with one command it starts the first only. */
export function server(name: string, ofLayout: string = name): string {
  return JSON.stringify({ mcpServers: { [name]: { command: 'true', args: [ofLayout] } } })
}

/** The manifest of a plugin. */
export function manifest(name: string, more: object = {}): Readonly<Record<string, string>> {
  return { '.claude-plugin/plugin.json': JSON.stringify({ name, version: '1.0.0', ...more }) }
}

/** Writes the files of a layout into a folder. */
export async function writeLayout(root: string, files: Layout['files'], outside: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    if (typeof content === 'string') await writeFile(file, content)
    else await symlink(content.link.replace('<outside>', outside), file)
  }
}

/** What a session has loaded. */
export interface Session {
  /** The CLI's first line: names of skills, slash commands, agents and servers. */
  readonly init: {
    readonly skills?: readonly string[]
    readonly slash_commands?: readonly string[]
    readonly agents?: readonly string[]
    readonly mcp_servers?: readonly { readonly name: string }[]
  }
  /** The first request to the model. */
  readonly request: string
}

/** Names of what a session has: `skill x`, `/x`, `agent x`, `server x`, and what it says to the model, `says x`. */
export function namesIn({ init, request }: Session): readonly string[] {
  const said = [...request.matchAll(/SAYS-([\w-]+)/g)].map(([, what]) => `says ${what}`)
  const names = [
    ...(init.skills ?? []).map((name) => `skill ${name}`),
    ...(init.slash_commands ?? []).map((name) => `/${name}`),
    ...(init.agents ?? []).map((name) => `agent ${name}`),
    ...(init.mcp_servers ?? []).map(({ name }) => `server ${name}`),
    ...said,
  ]
  return [...new Set(names)].toSorted()
}

/** What of these names belongs to a layout, without the prefix of its plugin. */
export function namesOf({ name }: Pick<Layout, 'name'>, names: readonly string[]): readonly string[] {
  const own = names.filter((one) => new RegExp(`(?<![a-z-])${name}(?![a-z])`, 'i').test(one))
  return [...new Set(own.map((one) => one.replace(new RegExp(`(?:plugin:)?${name}:`), '')))].toSorted()
}
