import type { Vitest } from 'vitest/node'

/** Whether Vitest's UI or its html reporter shows this run: nothing else reads attachments, and Vitest copies each. */
export function showsAttachments({ ui, reporters }: Pick<Vitest['config'], 'reporters' | 'ui'>): boolean {
  return ui || reporters.some((one) => (Array.isArray(one) ? one[0] : one) === 'html')
}
