import { anthropic, openai } from './api.ts'
import { claudeCodeJudge } from './claude-code.ts'
import { codexJudge } from './codex.ts'
import { programKind } from './program.ts'
import type { JudgeProviderName } from '../../suites/judge-name.ts'
import type { JudgeProviderKind, JudgeProviders } from './provider.ts'

/** Answers over any wire, for what was recorded. */
export { anthropicProvider as recordedProvider } from './api.ts'

// In this order they are asked about a model without a provider.
const kinds: Readonly<Record<JudgeProviderName, JudgeProviderKind>> = {
  'claude-code': programKind(claudeCodeJudge),
  anthropic,
  openai,
  codex: programKind(codexJudge),
}

/** Every judge that can be asked, by name. */
export const judgeProviders: JudgeProviders = kinds

/** What helps where no judge has a credential. */
export const NO_CREDENTIAL =
  'Set ANTHROPIC_API_KEY or OPENAI_API_KEY; with a Claude subscription run `claude setup-token` and set CLAUDE_CODE_OAUTH_TOKEN.'
