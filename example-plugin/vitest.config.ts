import { agentEvals } from 'vitest-agent-evals'
import { defineConfig } from 'vitest/config'
// With this threshold a case shows its score: many graders of this suite fail on purpose.
export default defineConfig({ plugins: [agentEvals({ sandbox: 'prefer', scaffold: true, threshold: 0 })] })
