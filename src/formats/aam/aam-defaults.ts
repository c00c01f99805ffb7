import { warningIn, type Issue } from '../../lib/documents/document.ts'
import type { SuiteConfig } from '../suite.ts'

/** `evals/eval-config.json` as it counts for the cases beside it. */
export interface AamConfig {
  readonly config: SuiteConfig
  readonly issues: readonly Issue[]
}

/** What counts without the file, or where it says nothing. */
export const AAM_DEFAULTS: SuiteConfig = {
  file: null,
  engine: null,
  timeout: null,
  judge: null,
  network: false,
  writablePaths: null,
  env: {},
}

/** What counts where there is no such file, and that it is not there. */
export function withoutAamConfig(file: string): AamConfig {
  const message = 'there is no eval-config.json; the default engine and limits are used'
  return { config: AAM_DEFAULTS, issues: [warningIn(file, 'no-eval-config', message)] }
}
