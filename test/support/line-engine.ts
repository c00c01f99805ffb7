/**
 * The module of an engine whose program prints a message a line.
 *
 * @param own - the fields of its own: name, executable, how its version is asked, and its command.
 */
export function lineEngine(own: string): string {
  return `
export default {
  wire: 'openai-chat',
  transport: 'tcp',
  runtimeFiles: () => [],
  install: ({ paths }) => ({
    files: [], copies: [], configFiles: [], hookPlan: { packageRoot: paths.packageRoot, hooks: [] }, warnings: [],
  }),
  createReader() {
    const lines = []
    return {
      line(text) {
        lines.push(text)
        return [{ kind: 'message', agent: null, text }]
      },
      end: () => ({
        status: lines.length === 0 ? null : 'completed', problem: null, version: null, sessionId: null, model: null,
        output: lines.join('\\n'), finalMessage: lines.at(-1) ?? '', skills: null, hooksWithoutVerdict: 0,
      }),
    }
  },
${own}}
`
}
