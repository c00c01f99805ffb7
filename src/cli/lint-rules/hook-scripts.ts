import { folderVariables } from '../../packages/root-variables.ts'
import { missingScript } from '../../assert/missing-script.ts'
import { errorAt, type ReadDocument } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { readText } from '../../documents/read-text.ts'
import type { Issue } from '../../documents/issue.ts'
import type { AgentPackage, HookGroup } from '../../packages/package.ts'

/** Errors for hooks whose script is not there: an engine takes that for consent, or for a block. */
export async function findMissingHookScripts(pkg: AgentPackage): Promise<readonly Issue[]> {
  const files = [...new Set(pkg.hookGroups.flatMap((group) => placeOf(group, pkg)?.file ?? []))]
  const documents = new Map(await Promise.all(files.map(async (file) => [file, await readHooks(file)] as const)))
  const env = { ...process.env, ...folderVariables({ packageRoot: pkg.root, workspace: pkg.root }) }
  return pkg.hookGroups.flatMap((group) => {
    const place = placeOf(group, pkg)
    const document = documents.get(place?.file ?? '') ?? null
    if (place === null || document === null) return []
    return group.hooks.flatMap((hook, position) => {
      if (hook.type !== 'command' || !isKnown(hook.command, env)) return []
      const script = missingScript(hook.command, pkg.root, env)
      if (script === null) return []
      const path = [...place.path, 'hooks', position, 'command']
      return [errorAt(document, path, 'missing-script', `there is no script ${script.replace(`${pkg.root}/`, '')}`)]
    })
  })
}

interface HookPlace {
  readonly file: string
  readonly path: readonly (string | number)[]
}

function placeOf({ native, event, index }: HookGroup, { hooksFile }: AgentPackage): HookPlace | null {
  if (native !== undefined) return native
  return hooksFile === null ? null : { file: hooksFile, path: ['hooks', event, index] }
}

async function readHooks(file: string): Promise<ReadDocument | null> {
  const { text } = await readText(file)
  return text === null ? null : readDocument(text, { kind: 'json', file, what: 'hooks' })
}

// What a variable of the session will hold is not known here.
function isKnown(command: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return [...command.matchAll(/\$\{?(\w+)\}?/g)].every(([, name = '']) => env[name] !== undefined)
}
