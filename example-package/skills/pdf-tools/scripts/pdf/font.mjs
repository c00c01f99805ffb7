import { END, Lexer, Name, Word } from './lexer.mjs'
import { decodeStream, Stream } from './stream.mjs'

/** Reads how a font turns the bytes of a string into characters and how wide they are. */
export function readFont(font, resolve) {
  if (!(font instanceof Map)) return { characters: plainCharacters(null) }
  const composite = nameOf(resolve(font.get('Subtype'))) === 'Type0'
  const widthOf = composite ? compositeWidths(font, resolve) : simpleWidths(font, resolve)
  const toUnicode = resolve(font.get('ToUnicode'))
  const decode = toUnicode instanceof Stream ? mapped(decodeStream(toUnicode, resolve), composite ? 2 : 1) : null
  const characters = decode ?? (composite ? unreadable : plainCharacters(nameOf(resolve(font.get('Encoding')))))
  return { characters, widthOf }
}

// Latin text: one byte is one character.
function plainCharacters(encoding) {
  const toText =
    encoding === 'MacRomanEncoding' ? (byte) => MAC_ROMAN.decode(Buffer.from(byte, 'latin1')) : fromWindows1252
  return (text) => Array.from(text, (byte) => ({ code: byte.charCodeAt(0), text: toText(byte) }))
}

const MAC_ROMAN = new TextDecoder('macintosh')

// Spelled out because TextDecoder('windows-1252') reads 0x80 to 0x9F as control characters in Node 20.
const FROM_0X80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'

function fromWindows1252(byte) {
  return FROM_0X80[byte.charCodeAt(0) - 0x80] ?? byte
}

// Glyph numbers without a table that says what they mean: say so instead of guessing.
function unreadable(text) {
  return codes(text, 2).map((code) => ({ code, text: '\uFFFD' }))
}

function mapped(source, fallbackLength) {
  const { length, table } = readCMap(source)
  return (text) => codes(text, length ?? fallbackLength).map((code) => ({ code, text: table.get(code) ?? '\uFFFD' }))
}

function readCMap(source) {
  const lexer = new Lexer(source)
  const table = new Map()
  let length = null
  let operands = []
  for (let value = lexer.next(); value !== END; value = lexer.next()) {
    if (!(value instanceof Word)) {
      operands.push(value)
      continue
    }
    if (value.word === 'endcodespacerange')
      length ??= operands.findLast((operand) => typeof operand === 'string')?.length ?? null
    if (value.word === 'endbfchar') addCharacters(table, operands)
    if (value.word === 'endbfrange') addRanges(table, operands)
    operands = []
  }
  return { length, table }
}

function addCharacters(table, operands) {
  for (let index = 0; index + 1 < operands.length; index += 2)
    table.set(toNumber(operands[index]), fromUtf16(operands[index + 1]))
}

function addRanges(table, operands) {
  for (let index = 0; index + 2 < operands.length; index += 3) {
    const [from, to, target] = operands.slice(index, index + 3)
    const first = toNumber(from)
    const last = Math.min(toNumber(to), first + 0xffff)
    for (let code = first; code <= last; code += 1) {
      table.set(code, Array.isArray(target) ? fromUtf16(target[code - first] ?? '') : shifted(target, code - first))
    }
  }
}

function shifted(target, by) {
  const last = (target.charCodeAt(target.length - 2) << 8) + target.charCodeAt(target.length - 1) + by
  return fromUtf16(target.slice(0, -2)) + String.fromCharCode(last & 0xffff)
}

function simpleWidths(font, resolve) {
  const widths = resolve(font.get('Widths'))
  if (!Array.isArray(widths)) return undefined
  const first = resolve(font.get('FirstChar')) ?? 0
  return (code) => Number(resolve(widths[code - first]) ?? 0)
}

function compositeWidths(font, resolve) {
  const [descendant] = [resolve(font.get('DescendantFonts'))].flat().map(resolve)
  if (!(descendant instanceof Map)) return undefined
  const fallback = resolve(descendant.get('DW')) ?? 1000
  const table = new Map()
  const entries = (resolve(descendant.get('W')) ?? []).map(resolve)
  for (let index = 0; index < entries.length;) {
    const [first, second, third] = entries.slice(index, index + 3)
    if (Array.isArray(second)) {
      second.forEach((width, offset) => table.set(first + offset, resolve(width)))
      index += 2
      continue
    }
    for (let code = first; code <= Math.min(second, first + 0xffff); code += 1) table.set(code, third)
    index += 3
  }
  return (code) => table.get(code) ?? fallback
}

function codes(text, length) {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    toNumber(text.slice(index * length, (index + 1) * length)),
  )
}

function toNumber(text) {
  return Array.from(String(text)).reduce((sum, byte) => sum * 256 + byte.charCodeAt(0), 0)
}

function fromUtf16(text) {
  return codes(String(text), 2)
    .map((code) => String.fromCharCode(code))
    .join('')
}

function nameOf(value) {
  return value instanceof Name ? value.name : null
}
