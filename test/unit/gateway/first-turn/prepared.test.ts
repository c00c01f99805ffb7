import { expect, test } from 'vitest'
import { askPrepared } from '../../../../src/gateway/control/client.ts'
import { createPrepared } from '../../../../src/gateway/first-turn/leaders.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'

const over = Promise.resolve()

test('waits for what is being prepared, and has nothing under other names or where it failed', async () => {
  const prepared = createPrepared()
  expect(await prepared.find('a')).toBeNull()
  const { promise, resolve } = withResolvers<object>()
  prepared.add(Promise.reject(new Error('no query can be prepared')))
  prepared.add(Promise.resolve({ name: 'a', value: promise, over }))
  const found = prepared.find('a')
  resolve({ of: 'a' })
  expect(await found).toEqual({ of: 'a' })
  prepared.add(Promise.resolve({ name: 'b', value: Promise.reject(new Error('called off')), over }))
  expect(await prepared.find('b')).toBeNull()
  expect(await prepared.find('c')).toBeNull()
  // Passes of a watching Vitest before the last one.
  prepared.add(Promise.resolve(null))
  expect(await prepared.find('a')).toBeNull()
})

test('a worker gets what its main process has prepared', async () => {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 1, environment: {} })
  const { signal } = new AbortController()
  const ended = withResolvers<undefined>()
  gateway.prepared.add(
    Promise.resolve({ name: 'abc', value: Promise.resolve({ a: 1 }), over: ended.promise.then(() => {}) }),
  )
  expect(await askPrepared(gateway.controlSocket, 'abc', signal)).toEqual({ a: 1 })
  expect(await askPrepared(gateway.controlSocket, 'abd', signal)).toBeNull()
  let isClosed = false
  const closed = gateway.close().then(() => (isClosed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  ended.resolve(undefined)
  await closed
})

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((given) => {
    resolve = given
  })
  return { promise, resolve }
}
