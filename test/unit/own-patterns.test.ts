import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync, Visitor } from 'rolldown/utils'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'

interface OwnPattern {
  readonly place: string
  readonly source: string
  readonly flags: string
}

/** Every regular expression that stands in a source file, and each that is made from one text. */
function patternsIn(file: string): readonly OwnPattern[] {
  const text = readFileSync(file, 'utf8')
  const found: OwnPattern[] = []
  const add = (start: number, source: string, flags: string): void => {
    found.push({ place: `${file}:${text.slice(0, start).split('\n').length}`, source, flags })
  }
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(node.start, node.regex.pattern, node.regex.flags)
    },
    NewExpression({ start, callee, arguments: [pattern, flags] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || pattern?.type !== 'Literal') return
      if (typeof pattern.value !== 'string') return
      add(start, pattern.value, flags?.type === 'Literal' ? String(flags.value) : '')
    },
  }).visit(parseSync(file, text).program)
  return found
}

// Searches until it is stopped. A busy machine is given further tries: a pattern that is slow takes longer each time.
const SEARCH = `
const { createContext, Script } = require('node:vm')
const { patterns, units, length } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const script = new Script('regex = new RegExp(source, flags); regex.global ? text.replaceAll(regex, "") : regex.exec(text)')
const slow = []
const inside = createContext({ source: '', flags: '', text: '', regex: null })
for (const { place, source, flags } of patterns) {
  const unit = units.find((unit) => {
    const run = unit.repeat(Math.floor(length / unit.length))
    return [run, run + '\\u0001', 'a' + run + 'a\\u0001'].some((text) => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        try {
          Object.assign(inside, { source, flags, text })
          script.runInContext(inside, { timeout: 100 })
          return false
        } catch (error) {
          if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        }
      }
      return true
    })
  })
  if (unit !== undefined) slow.push(place + ' /' + source + '/' + flags + ' on ' + JSON.stringify(unit))
}
process.stdout.write(JSON.stringify(slow))
`

// One of each class that patterns tell apart, and pairs of them.
const SINGLE = Array.from(' \t\n\u00A0aA0_-./\\"\'`()[]{}<>#*|:,;!?$%@=&+^~\u200Bé日😀\u001B')
const PAIRS = [
  '\r\n',
  ' \n',
  '\n ',
  'a ',
  'a.',
  'a/',
  '- ',
  '* ',
  '""',
  'a\n',
  '"a"',
  '"\\',
  '<a>',
  '](',
  '${',
  '1.',
  '::',
  'a: ',
  '# ',
  '{a',
  ', ',
]

test('no pattern of the sources takes long on a long run of any class of characters', () => {
  const patterns = globSync('src/**/*.{ts,tsx}').toSorted().flatMap(patternsIn)
  expect(patterns.length).toBeGreaterThan(300)
  const input = JSON.stringify({ patterns, units: [...SINGLE, ...PAIRS], length: 16_000 })
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', SEARCH], { input, encoding: 'utf8', timeout: 240_000 })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual([])
}, 300_000)
