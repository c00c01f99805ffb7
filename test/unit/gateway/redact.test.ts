import { expect, test } from 'vitest'
import { createRedactor, findShortSecrets } from '../../../src/gateway/redact.ts'

const KEY = 'p4ss w0rd/+"x 4nd m0re'
const redactor = createRedactor({
  MY_API_KEY: KEY,
  LONGER_TOKEN: `${KEY}-longer`,
  SHORT_TOKEN: 'abc123456789012',
  PATH: '/usr/bin:/bin',
})

test('R5: replaces a secret in each of its forms', () => {
  expect(redactor.text(`a ${KEY} b`)).toBe('a [REDACTED:MY_API_KEY] b')
  expect(redactor.text(JSON.stringify({ key: KEY }))).toBe('{"key":"[REDACTED:MY_API_KEY]"}')
  expect(redactor.text(`?k=${encodeURIComponent(KEY)}&`)).toBe('?k=[REDACTED:MY_API_KEY]&')
  expect(redactor.text(`\u001B[1m${KEY.slice(0, 4)}\u001B[0m${KEY.slice(4)}!`)).toBe('[REDACTED:MY_API_KEY]!')
})

test('finds a secret at any place of a base64 text', () => {
  for (const before of ['', 'u', 'us', 'usr:']) {
    const plain = Buffer.from(before + KEY + 'tail!')
    expect(redactor.text(plain.toString('base64'))).toContain('[REDACTED:MY_API_KEY]')
    expect(redactor.text(plain.toString('base64url'))).toContain('[REDACTED:MY_API_KEY]')
  }
})

test('takes the longest secret first', () => {
  expect(redactor.text(`${KEY}-longer`)).toBe('[REDACTED:LONGER_TOKEN]')
})

test('leaves short values and values of other names alone', () => {
  expect(redactor.text('abc123456789012 in /usr/bin:/bin')).toBe('abc123456789012 in /usr/bin:/bin')
  const git = createRedactor({ GIT_AUTHOR_NAME: 'Jane Example', AUTHORIZATION: 'Bearer 123456789' })
  expect(git.text('Jane Example sent Bearer 123456789')).toBe('Jane Example sent [REDACTED:AUTHORIZATION]')
})

test('knows the shape of common credentials', () => {
  expect(createRedactor({}).text(`x sk-ant-api03-${'A'.repeat(30)} y`)).toBe('x [REDACTED:credential] y')
})

test('redacts a private key that is printed line by line', () => {
  const lines = [
    '-----BEGIN KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0BAQEF',
    'AASCBKcwggSjAgEAAoIBAQC7VJTUt9',
    '-----END KEY-----',
  ]
  const { text } = createRedactor({ SIGNING_KEY: lines.join('\n') })
  expect(text(`> ${lines[1]}\n> ${lines[2]}`)).toBe('> [REDACTED:SIGNING_KEY]\n> [REDACTED:SIGNING_KEY]')
})

test('walks through JSON values', () => {
  expect(redactor.values({ a: [KEY, 1, null, true], c: { b: `x${KEY}` } })).toEqual({
    a: ['[REDACTED:MY_API_KEY]', 1, null, true],
    c: { b: 'x[REDACTED:MY_API_KEY]' },
  })
})

test('leaves field names alone', () => {
  const { values } = createRedactor({ ODD_TOKEN: 'deterministic_checks' })
  const result = { deterministic_checks: [], error: 'no deterministic_checks' }
  expect(values(result)).toEqual({ ...result, error: 'no [REDACTED:ODD_TOKEN]' })
})

test('names the secrets that are too short to be searched for', () => {
  const names = findShortSecrets({
    ANTHROPIC_API_KEY: 'x',
    OPENAI_API_KEY: 'sk-real-1234567890',
    DATABASE_PASSWORD: 'hunter2hunter2',
    KEYTIMEOUT: '1234567890',
    SOME_TOKEN: '',
  })
  expect(names).toEqual(['ANTHROPIC_API_KEY', 'DATABASE_PASSWORD'])
})

test('finds in a JSON value whatever it finds in its texts', () => {
  const shape = `sk-ant-api03-${'A'.repeat(30)}`
  const texts = [
    KEY,
    JSON.stringify({ key: KEY }),
    JSON.stringify(JSON.stringify({ key: KEY })),
    Buffer.from(`usr:${KEY}`).toString('base64'),
    `a line\n${shape}\tanother`,
    `"${shape}"`,
    `AKIA${'A'.repeat(16)}\n`,
    `\u001B[1m${KEY.slice(0, 4)}\u001B[0m${KEY.slice(4)}`,
    `${KEY.slice(0, 4)}\u009B1m${KEY.slice(4)}`,
  ]
  for (const text of texts) {
    const redacted = redactor.text(text)
    expect(redactor.values({ deep: [{ a: text }] })).toEqual({ deep: [{ a: redacted }] })
  }
})

test('hands a clean value back as it is, and looks at what it has redacted only once', () => {
  const clean = { a: ['nothing in it', 1, null] }
  expect(redactor.values(clean)).toBe(clean)
  const redacted = redactor.values({ a: KEY })
  expect(redacted).toEqual({ a: '[REDACTED:MY_API_KEY]' })
  expect(redactor.values(redacted)).toBe(redacted)
})

test('stays quick on a long text', () => {
  expect(redactor.text('a'.repeat(5_000_000)).length).toBe(5_000_000)
})
