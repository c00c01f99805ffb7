import { findDifference } from '../../gateway/first-turn/first-request.ts'
import { fillTemplate, REAL_TOOLS, type TemplateTools, type UsedTemplate } from './template.ts'
import type { AgentRequest } from '../agent-request.ts'

/**
 * Compares the request of a query's probe with that of a session of its own, once for all its runs, and says where they
 * differ. A recording decides for months, so what holds for other queries is not enough.
 */
export function compareStart(
  request: AgentRequest,
  template: UsedTemplate,
  tools: TemplateTools = REAL_TOOLS,
): Promise<string | null> {
  const { prompt } = request.evalCase
  const known = template.compared.get(prompt)
  if (known !== undefined) return known
  const made = compare(request, template, tools)
  template.compared.set(prompt, made)
  // A start that was called off says nothing to those that come later.
  void made.catch(() => template.compared.delete(prompt))
  return made
}

async function compare(
  request: AgentRequest,
  template: UsedTemplate,
  { capture }: TemplateTools,
): Promise<string | null> {
  const { prompt } = request.evalCase
  const start = await capture(request, prompt)
  if ('problem' in start) return start.problem
  await start.over
  const difference = findDifference(fillTemplate(template, prompt), start.request)
  return difference === null ? null : `the first request of its session differs from the probe in ${difference}`
}
