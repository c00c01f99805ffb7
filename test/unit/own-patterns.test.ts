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

// A search may take a third of the processor time of a known quadratic search, measured in the same process. A busy
// machine makes both slower; what is found slow is measured again, next to that search, until the odds are gone.
const SEARCH = `
const { createContext, Script } = require('node:vm')
const { patterns, units, length } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const script = new Script(
  'regex = new RegExp(source, flags); for (text of texts) regex.global ? text.replaceAll(regex, "") : regex.test(text)',
)
const inside = createContext({ source: '', flags: '', texts: [], text: '', regex: null })
const measure = (source, flags, texts) => {
  Object.assign(inside, { source, flags, texts })
  const start = process.cpuUsage()
  try {
    script.runInContext(inside, { timeout: 30_000 })
  } catch (error) {
    if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return Infinity
  }
  const { user, system } = process.cpuUsage(start)
  return user + system
}
const quadratic = () => measure('a*b', '', ['a'.repeat(length)])
let limit = Math.min(quadratic(), quadratic(), quadratic()) / 3
const isSlow = (source, flags, texts) => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const took = measure(source, flags, texts)
    if (took === Infinity) return true
    if (attempt > 0) limit = Math.max(limit, quadratic() / 3)
    if (took <= limit) return false
  }
  return true
}
const runs = units.map((unit) => {
  const run = unit.repeat(Math.floor(length / unit.length))
  return [run, run + '\\u0001', 'a' + run + 'a\\u0001']
})
const slow = []
for (const { place, source, flags } of patterns) {
  // Most search all texts in less time than one may take.
  if (measure(source, flags, runs.flat()) <= limit) continue
  const unit = units.find((_, index) => runs[index].some((text) => isSlow(source, flags, [text])))
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
  '/* ',
  '<!--',
  ', ',
]

test('no pattern of the sources takes long on a long run of any class of characters', () => {
  const patterns = globSync('src/**/*.{ts,tsx}').toSorted().flatMap(patternsIn)
  expect(patterns.length).toBeGreaterThan(300)
  const input = JSON.stringify({ patterns, units: [...SINGLE, ...PAIRS], length: 8_000 })
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', SEARCH], { input, encoding: 'utf8', timeout: 240_000 })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual([])
}, 300_000)
