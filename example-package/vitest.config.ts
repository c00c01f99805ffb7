import { agentEvals } from 'vitest-agent-evals'
import { defineConfig } from 'vitest/config'
export default defineConfig({ plugins: [agentEvals({ sandbox: 'prefer', html: true })] })
