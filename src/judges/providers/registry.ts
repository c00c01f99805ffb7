import { anthropic, openai } from './api.ts'
import { claudeCodeJudge } from './claude-code.ts'
import { codexJudge } from './codex.ts'
import { programKind } from './program.ts'
import type { JudgeProviderName } from '../../suites/judge-name.ts'
import type { JudgeProviderKind, JudgeProviders } from './provider.ts'

// In this order they are asked about a model without a provider.
const kinds: Readonly<Record<JudgeProviderName, JudgeProviderKind>> = {
  'claude-code': programKind(claudeCodeJudge),
  anthropic,
  openai,
  codex: programKind(codexJudge),
}

/** Every judge that can be asked, by name. */
export const judgeProviders: JudgeProviders = kinds
