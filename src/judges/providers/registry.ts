import { namesOfEngines } from '../../engines/registry.ts'
import type { KnownNames } from '../../formats/suite.ts'
import { endpointNames, wireOfModel } from '../../gateway/wires/apis.ts'
import { similarName } from '../../lib/documents/nearest-name.ts'
import { anthropic, apiKind } from './api.ts'
import { claudeCodeJudge } from './claude-code.ts'
import type { JudgeProviderKind } from './provider.ts'

/** Answers over any wire, for what was recorded. */
export { anthropicProvider as recordedProvider } from './api.ts'

// In this order they are asked about a model without a provider.
const KINDS: ReadonlyMap<string, JudgeProviderKind> = new Map([
  ['claude-code', claudeCodeJudge],
  ['anthropic', anthropic],
  ['openai', apiKind('openai-chat', 'OpenAI', 'openai:MODEL')],
  ['google', apiKind('google', 'Google')],
])

/** Every judge that can be asked, by the name that a user writes: the list, and the servers of the configuration. */
export function judgeProviders(): ReadonlyMap<string, JudgeProviderKind> {
  const endpoints = endpointNames().map((name) => [name, apiKind(name, name)] as const)
  return new Map([...endpoints, ...KINDS])
}

/** The wire over which a judge of this provider was asked; for none, or one of another configuration, by its model. */
export function wireOfJudge(provider: string | null, model: string): string {
  return judgeProviders().get(provider ?? '')?.wire ?? wireOfModel(model)
}

/** Names that no server of a configuration can have. */
export const JUDGE_NAMES: readonly string[] = [...KINDS.keys()]

/** What helps where no judge has a credential. */
export const NO_CREDENTIAL =
  'Set ANTHROPIC_API_KEY or OPENAI_API_KEY; with a Claude subscription run `claude setup-token` and set CLAUDE_CODE_OAUTH_TOKEN.'

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
