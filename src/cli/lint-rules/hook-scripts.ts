import { missingScript } from '../../assert/missing-script.ts'
import { errorAt } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { readText } from '../../documents/read-text.ts'
import type { Issue } from '../../documents/issue.ts'
import type { AgentPackage } from '../../packages/package.ts'

/** Errors for hooks whose script is not there: an engine takes that for consent, or for a block. */
export async function findMissingHookScripts(pkg: AgentPackage): Promise<readonly Issue[]> {
  if (pkg.hooksFile === null) return []
  const { text } = await readText(pkg.hooksFile)
  if (text === null) return []

  const document = readDocument(text, { kind: 'json', file: pkg.hooksFile, what: 'hooks' })
  const env = { ...process.env, PACKAGE_ROOT: pkg.root, CLAUDE_PLUGIN_ROOT: pkg.root }
  return pkg.hookGroups.flatMap(({ event, index, hooks }) =>
    hooks.flatMap((hook, position) => {
      if (hook.type !== 'command' || !isKnown(hook.command, env)) return []
      const script = missingScript(hook.command, pkg.root, env)
      if (script === null) return []
      const path = ['hooks', event, index, 'hooks', position, 'command']
      return [errorAt(document, path, 'missing-script', `there is no script ${script.replace(`${pkg.root}/`, '')}`)]
    }),
  )
}

// What a variable of the session will hold is not known here.
function isKnown(command: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return [...command.matchAll(/\$\{?(\w+)\}?/g)].every(([, name = '']) => env[name] !== undefined)
}
