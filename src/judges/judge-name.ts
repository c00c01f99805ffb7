import { similarName } from '../documents/nearest-name.ts'
import { namesOfEngines } from '../engines/registry.ts'
import { judgeProviders } from './providers/registry.ts'
import type { KnownNames } from '../suites/known-names.ts'

/** A judge as it is written, `[provider:]model`. */
export interface JudgeName {
  readonly provider: string | null
  readonly model: string
}

/** Reads a judge, or says what is wrong with it: found out after the agent's run, a mistake would cost that run. */
export function readJudgeName(text: string): JudgeName | { readonly problem: string } {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon))
  const model = text.slice(colon + 1)
  if (model.trim() === '') return { problem: 'names no model. Write [provider:]model, such as anthropic:claude-sonnet' }
  if (colon === -1) return { provider: null, model }
  const providers = [...judgeProviders().keys()]
  if (providers.includes(name)) return { provider: name, model }
  const near = similarName(name, providers)
  const hint = near === null ? '' : `Did you mean ${JSON.stringify(near)}? `
  const use = `Use ${providers.slice(0, -1).join(', ')} or ${providers.at(-1)}`
  return { problem: `names the provider "${name}". ${hint}${use}, or add its address to the option \`judgeEndpoints\`` }
}

/** What suites are checked against. */
export function knownNames(): KnownNames {
  return {
    ...namesOfEngines(),
    judgeProblem(judge) {
      const name = readJudgeName(judge)
      return 'problem' in name ? name.problem : null
    },
  }
}
