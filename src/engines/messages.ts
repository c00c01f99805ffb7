import { wireOfModel } from '../gateway/wires/apis.ts'
import { pathFrom } from '../packages/package-root.ts'
import type { DirectEngine, DirectQuestion, DirectRequest, EngineBase } from './engine.ts'

/** The API itself, without tools: the agent's own files are its system prompt, the case is the message. */
export const messages: DirectEngine = createMessages('anthropic-messages')

function createMessages(wire: EngineBase['wire']): DirectEngine {
  return {
    name: 'messages',
    wire,
    forModel: (model) => createMessages(wireOfModel(model)),
    // Nothing looks into the workspace but the checks.
    install: () => ({ files: [], copies: [], configFiles: [], hookPlan: { packageRoot: '', hooks: [] }, warnings: [] }),
    question,
  }
}

function question({ package: pkg, target, prompt }: DirectRequest): DirectQuestion {
  const agent = target?.kind === 'agent' ? pkg.agents.find(({ name }) => name === target.name) : undefined
  const files = agent?.parts?.map(({ file }) => file) ?? (agent === undefined ? [] : [agent.promptFile])
  return {
    system: agent?.prompt ?? '',
    user: prompt,
    shown: files.map((file) => pathFrom(pkg.root, file)),
  }
}
