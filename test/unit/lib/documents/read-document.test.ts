import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../../src/lib/documents/read-text.ts'
import { readDocument } from '../../../../src/lib/documents/read-document.ts'

const problems = (text: string, kind: 'json' | 'yaml' = 'yaml'): readonly string[] =>
  readDocument(text, { kind, file: '/f', what: 'case' }).issues.map(
    ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
  )

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)

describe('hostile and broken YAML', () => {
  test('C1 billion laughs: refused at the first anchor, and any alias', () => {
    const laughs = ['a: &a [lol]', ...Array.from({ length: 9 }, (_, i) => `b${i}: &b${i} [*a, *a, *a]`)].join('\n')
    expect(problems(laughs)).toEqual([
      '1:4 yaml-alias anchors and aliases are not supported (&a); write the value out, or quote the text',
    ])
    expect(problems('a: 1\nb: *x')).toEqual([
      '2:4 yaml-alias anchors and aliases are not supported (*x); write the value out, or quote the text',
    ])
  })

  test('a list or an object that is never closed', () => {
    expect(problems('a: [b\nc: d')).toContain(
      '2:1 yaml-syntax the list above is not closed here; end it with ], or indent this line',
    )
    expect(problems('a: {b: c\nd: e')).toContain(
      '2:1 yaml-syntax the object above is not closed here; end it with }, or indent this line',
    )
  })

  test('C2 nesting: flow, dashes and indentation', () => {
    expect(problems('['.repeat(5000))).toEqual(['1:33 too-deep nested deeper than 32 levels; write it flatter'])
    expect(problems('- '.repeat(5000))).toEqual(['1:65 too-deep nested deeper than 32 levels; write it flatter'])
    const stairs = Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')
    expect(problems(stairs)).toEqual(['33:33 too-deep nested deeper than 32 levels; write it flatter'])
    const lists = Array.from({ length: 30 }, (_, level) => `${' '.repeat(level)}a:\n${' '.repeat(level)}-`).join('\n')
    expect(problems(`${lists}\n${' '.repeat(30)}x`)).toHaveLength(1)
    expect(problems(`${'['.repeat(32)}1${']'.repeat(32)}`)).toEqual([])
  })

  test('C3 many keys, many anchors, one huge scalar', () => {
    const keys = Array.from({ length: 15_000 }, (_, i) => `k${i}: v`).join('\n')
    expect(problems(keys)).toEqual(['10001:1 too-many-values more than 20000 values in one file; split the file'])
    expect(problems(`[${','.repeat(200_000)}]`)).toEqual([
      '1:80001 too-many-values more than 20000 values in one file; split the file',
    ])
    expect(
      problems(
        Array.from({ length: 20_000 }, (_, i) => `- &a${i} x`)
          .join('\n')
          .slice(0, 200_000),
      ),
    ).toHaveLength(1)
    expect(problems(`a: ${'x'.repeat(5_000_000)}`)).toEqual(['1:1 file-too-large the file is larger than 256 KiB'])
  })

  test.each(['!!js/function "x"', '!exec ls', '!!binary aGk=', '!!str 1'])('C4 the tag of %s', (value) => {
    expect(problems(`ok: 1\na: ${value}`)).toHaveLength(1)
    expect(problems(`ok: 1\na: ${value}`)[0]).toMatch(/^2:4 yaml-tag tags are not supported/)
  })

  test('C5 a duplicate key at its second place', () => {
    expect(problems('a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\na: 2')).toEqual([
      '5:3 duplicate-key the key "c" is duplicated; keep one of them',
      '6:1 duplicate-key the key "a" is duplicated; keep one of them',
    ])
  })

  test.each([
    ['tab indentation', 'a:\n\tb: 1', '2:1 yaml-syntax a tab is used as indentation; use spaces'],
    ['unterminated quote', 'a: "x\nb: 1', '1:4 yaml-syntax this quote is never closed'],
    [
      'two documents',
      'a: 1\n---\nb: 1',
      '2:1 two-documents a second document starts here; one file contains one document',
    ],
    ['empty', '', '1:1 empty-file no case in the file: it is empty or contains only comments'],
    ['only comments', '# a\n# b\n', '1:1 empty-file no case in the file: it is empty or contains only comments'],
    [
      'a colon in a value',
      'description: Use when: asked',
      '1:14 yaml-syntax a ": " inside a value; put the whole value in quotes',
    ],
    ['a list as key', '? [a]\n: b', '1:3 complex-key a key must be plain text, not a list or an object'],
    [
      'directive',
      '%YAML 1.1\n---\na: yes',
      '1:1 yaml-directive directives are not supported (%YAML 1.1); remove the line',
    ],
  ])('C6 %s', (_, text, problem) => {
    expect(problems(text)[0]).toBe(problem)
  })

  test('C7 NUL and other control characters at their place', () => {
    expect(problems('a: 1\nb: x\0y')).toEqual([
      '2:5 control-character a NUL character is not allowed; remove it or escape it',
    ])
    expect(problems('a: \u001B[31m')).toEqual([
      '1:4 control-character the control character U+001B is not allowed; remove it or escape it',
    ])
  })

  test('C7 a byte order mark and CRLF are accepted and move nothing', () => {
    const document = readDocument('\uFEFFname: a\r\ninput:\r\n  prompt: x\r\n', { kind: 'yaml', file: '/f' })
    expect(document.value).toEqual({ name: 'a', input: { prompt: 'x' } })
    expect(document.positionOf(['name'])).toEqual({ line: 1, column: 7 })
    expect(document.positionOf(['input', 'prompt'])).toEqual({ line: 3, column: 11 })
    expect(problems('\uFEFF')).toEqual(['1:1 empty-file no case in the file: it is empty or contains only comments'])
  })

  test('C8 __proto__ is refused, and no object is changed by it', () => {
    expect(problems('__proto__:\n  polluted: true')).toEqual([
      '1:1 unknown-field "__proto__" is not a field; remove it',
    ])
    expect(problems('{"a": {"__proto__": {"polluted": true}}}', 'json')).toEqual([
      '1:8 unknown-field "__proto__" is not a field; remove it',
    ])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('text that only looks like an anchor inside a block scalar is text', () => {
    expect(readDocument('a: >\n  &x *y !z [[[\n', { kind: 'yaml', file: '/f' }).value).toEqual({ a: '&x *y !z [[[\n' })
  })

  test('the YAML 1.2 core schema: no, on and dates stay text', () => {
    expect(readDocument('a: no\nb: on\nc: 2026-01-01\nd: 0o7\n1: x', { kind: 'yaml', file: '/f' }).value).toEqual({
      a: 'no',
      b: 'on',
      c: '2026-01-01',
      d: 7,
      1: 'x',
    })
  })
})

describe('C7 bytes that are not UTF-8', () => {
  test.each([
    ['Latin-1', bytes(0x61, 0x0a, 0x62, 0xe4, 0x0a), '2 not valid UTF-8; save the file as UTF-8'],
    ['UTF-16', bytes(0xff, 0xfe, 0x61, 0), '1 not valid UTF-8, but UTF-16; save the file as UTF-8'],
  ])('%s', (_, content, problem) => {
    const { issue } = decodeText(content, '/f')
    expect(`${issue?.line} ${issue?.message}`).toBe(problem)
  })
})

describe('C25 strict JSON', () => {
  test.each([
    ['{"a": 1,}', '1:8 json-syntax remove the comma before "}"'],
    ['[1,\n]', '1:3 json-syntax remove the comma before "]"'],
    ['{"a": 1 // x\n}', '1:9 json-syntax comments are not allowed in JSON; remove it'],
    ['/* x */ {}', '1:1 json-syntax comments are not allowed in JSON; remove it'],
    ["{'a': 1}", '1:2 json-syntax use double quotes'],
    ['{"a": 01}', '1:8 json-syntax expected "," before this, or the end of the list or object'],
    ['{"a": NaN}', '1:7 json-syntax "NaN" is not JSON; put a text in double quotes'],
    ['{"a":', '1:6 json-syntax expected a value, but the file ends here'],
    ['{"a": "x\ny"}', '1:7 json-syntax this text has no closing quote, or contains a line break or a wrong escape'],
    ['{} x', '1:4 json-syntax nothing may follow the end of the JSON value'],
    ['{"a":1,\n "a":2}', '2:2 duplicate-key the key "a" is duplicated; keep one of them'],
    ['', '1:1 empty-file no case in the file: it is empty or contains only comments'],
  ])('%j', (text, problem) => {
    expect(problems(text, 'json')).toEqual([problem])
  })

  test('deep and large', () => {
    expect(problems('['.repeat(5000), 'json')).toEqual(['1:33 too-deep nested deeper than 32 levels; write it flatter'])
    expect(problems(' '.repeat(2_000_000), 'json')).toEqual(['1:1 file-too-large the file is larger than 256 KiB'])
    expect(problems(`[${'1,'.repeat(30_000)}1]`, 'json')).toEqual([
      '1:40002 too-many-values more than 20000 values in one file; split the file',
    ])
  })

  test.each(['{"a":[1,-2.5e3,true,false,null,"\\u00e4\\n\\/"],"b":{}}', ' [ ] ', '"x"', '{\n\t"a" : 0\r\n}'])(
    'reads what JSON.parse reads: %j',
    (text) => {
      expect(readDocument(text, { kind: 'json', file: '/f' }).value).toEqual(JSON.parse(text))
    },
  )

  test('positions of values and keys', () => {
    const document = readDocument('{\n  "a": [\n    {"b": 1}\n  ]\n}', { kind: 'json', file: '/f' })
    expect(document.positionOf(['a', 0, 'b'])).toEqual({ line: 3, column: 11 })
    expect(document.keyPositionOf(['a', 0, 'b'])).toEqual({ line: 3, column: 6 })
    expect(document.positionOf(['a', 0, 'missing'])).toEqual({ line: 3, column: 5 })
    expect(document.positionOf(['missing'])).toEqual({ line: 1, column: 1 })
  })
})
