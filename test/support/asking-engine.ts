import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lineEngine } from './line-engine.ts'

/** Option of the plugin that adds the engine `asks`. */
export const ASKS_ENGINE = "{ asks: { module: './asks.mjs', executable: './asks.sh' } }"

/** The files of an engine that sends its prompt to the model once, and prints the answer. */
export const ASKS = {
  'asks.mjs': lineEngine(`
  name: 'asks',
  executable: 'asks.sh',
  versionArguments: ['version'],
  parseVersion: () => '1.0.0',
  command: ({ prompt, env, model, gateway }) => ({
    arguments: [], stdin: prompt, env: { ...env, MODEL: model ?? '', BASE: gateway.baseUrl, TOKEN: gateway.token },
  }),
`),
  'ask.mjs': `
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
const prompt = await text(process.stdin)
const headers = { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' }
const asking = request(process.env.BASE + '/v1/chat/completions', { method: 'POST', headers })
asking.on('response', async (response) => {
  const answer = await text(response)
  console.log(response.statusCode === 200 ? JSON.parse(answer).choices[0].message.content : 'refused ' + answer)
})
asking.end(JSON.stringify({
  model: process.env.MODEL || 'gpt-4.1-mini', max_tokens: 10, messages: [{ role: 'user', content: 'SESSION ' + prompt }],
}))
`,
} as const

/** Writes the program of the engine, once its project has a place. */
export async function writeAskingProgram({ root }: { readonly root: string }): Promise<void> {
  const script = `#!/bin/sh\n[ "$1" = version ] && exit 0\nexec '${process.execPath}' '${root}/ask.mjs'\n`
  await writeFile(join(root, 'asks.sh'), script, { mode: 0o755 })
}

/** A loopback API of OpenAI's chat wire. */
export interface ChatApi extends AsyncDisposable {
  readonly url: string
  /** Bodies of the requests that sessions of the engine have sent. */
  readonly asked: string[]
  /** How many requests came in all. */
  readonly count: () => number
  /** What a run needs to ask it. */
  readonly env: Readonly<Record<string, string>>
}

/** What the API answers: a text, or an error. */
export type ChatAnswer = string | { readonly status: number; readonly error: object }

/** Starts such an API. */
export async function startChatApi(answer: (body: string) => ChatAnswer = () => 'hello'): Promise<ChatApi> {
  const asked: string[] = []
  let count = 0
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      count += 1
      if (body.includes('SESSION ')) asked.push(body)
      const given = answer(body)
      response.setHeader('content-type', 'application/json')
      if (typeof given !== 'string') {
        response.statusCode = given.status
        return response.end(JSON.stringify({ error: given.error }))
      }
      const { model } = JSON.parse(body) as { readonly model: string }
      const choices = [{ index: 0, message: { role: 'assistant', content: given }, finish_reason: 'stop' }]
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      return response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    count: () => count,
    env: {
      AGENT_EVALS_ENGINE: 'asks',
      AGENT_EVALS_MODEL: 'gpt-4.1-mini',
      AGENT_EVALS_JUDGE: 'openai:gpt-4.1-mini',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'sk-scripted',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
