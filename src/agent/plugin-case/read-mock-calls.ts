import { z } from 'zod'
import { readText } from '../../documents/read-text.ts'
import { tryParseJson } from '../../json.ts'
import type { MockCall } from '../../suites/formats/plugin-eval/model.ts'

/** Bytes of a log of calls. */
const MAX_BYTES = 16 * 1024 * 1024

const schema: z.ZodType<MockCall & { readonly nonce: string }> = z.object({
  nonce: z.string(),
  seq: z.int().positive(),
  server: z.string(),
  tool: z.string(),
  input: z.json(),
  responder: z.enum(['agent', 'fixed']),
  verdict: z.enum(['abort', 'ok', 'tool_error']),
  output: z.string(),
})

/** Reads what the stand-ins of a session answered. Lines that they did not write are left out: sessions see the log. */
export async function readMockCalls(file: string, nonce: string): Promise<readonly MockCall[]> {
  const { text } = await readText(file, MAX_BYTES)
  return (text ?? '').split('\n').flatMap((line) => {
    const read = schema.safeParse(tryParseJson(line))
    if (!read.success || read.data.nonce !== nonce) return []
    const { nonce: _nonce, ...call } = read.data
    return [call]
  })
}
