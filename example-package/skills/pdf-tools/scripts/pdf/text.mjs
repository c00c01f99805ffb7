import { readFont } from './font.mjs'
import { END, Lexer, Name, Word } from './lexer.mjs'
import { decodeStream, Stream } from './stream.mjs'

const IDENTITY = [1, 0, 0, 1, 0, 0]
const DEEPEST_FORM = 8

/** The text of one page in the order in which the page draws it, lines apart. */
export function readText(page) {
  const pen = new Pen()
  draw(page.contents, page.resources, page.resolve, pen, 0)
  return pen.text.replace(/[ \t]+$/gm, '').trim()
}

function draw(contents, resources, resolve, pen, depth) {
  const lexer = new Lexer(contents)
  const fonts = new Map()
  const findFont = (name) => {
    if (!fonts.has(name)) fonts.set(name, readFont(lookUp(resources, 'Font', name, resolve), resolve))
    return fonts.get(name)
  }

  let operands = []
  for (let value = lexer.next(); value !== END; value = lexer.next()) {
    if (!(value instanceof Word)) {
      operands.push(value)
      continue
    }
    if (value.word === 'Do' && depth < DEEPEST_FORM)
      drawForm(lookUp(resources, 'XObject', operands[0]?.name, resolve), resources, resolve, pen, depth)
    if (value.word === 'Tf') pen.setFont(findFont(operands[0] instanceof Name ? operands[0].name : ''), operands[1])
    if (value.word === 'ID') skipInlineImage(lexer)
    OPERATORS[value.word]?.(pen, operands)
    operands = []
  }
}

const OPERATORS = {
  q: (pen) => pen.save(),
  Q: (pen) => pen.restore(),
  cm: (pen, matrix) => pen.transform(matrix),
  BT: (pen) => pen.setMatrix(IDENTITY),
  Tm: (pen, matrix) => pen.setMatrix(matrix),
  Td: (pen, [x, y]) => pen.move(x, y),
  TD: (pen, [x, y]) => {
    pen.leading = -y
    pen.move(x, y)
  },
  TL: (pen, [leading]) => {
    pen.leading = leading
  },
  'T*': (pen) => pen.nextLine(),
  Tj: (pen, [text]) => pen.show(text),
  TJ: (pen, [parts]) => pen.showSpaced(parts),
  "'": (pen, [text]) => {
    pen.nextLine()
    pen.show(text)
  },
  '"': (pen, [, , text]) => {
    pen.nextLine()
    pen.show(text)
  },
}

function drawForm(form, resources, resolve, pen, depth) {
  if (!(form instanceof Stream) || resolve(form.dictionary.get('Subtype'))?.name !== 'Form') return
  pen.save()
  pen.transform(resolve(form.dictionary.get('Matrix')) ?? IDENTITY)
  draw(decodeStream(form, resolve), resolve(form.dictionary.get('Resources')) ?? resources, resolve, pen, depth + 1)
  pen.restore()
}

function lookUp(resources, category, name, resolve) {
  const entries = resources instanceof Map ? resolve(resources.get(category)) : null
  return entries instanceof Map ? resolve(entries.get(name)) : null
}

function skipInlineImage(lexer) {
  const end = /\sEI(?=\s|$)/g
  end.lastIndex = lexer.position
  lexer.position = end.exec(lexer.source) ? end.lastIndex : lexer.source.length
}

// Follows where the page writes, to tell a new line from a new word from the rest of the same word.
class Pen {
  text = ''
  leading = 0
  #font = { characters: (text) => Array.from(text, (character) => ({ code: 0, text: character })) }
  #size = 1
  #page = IDENTITY
  #line = IDENTITY
  #advance = 0
  #saved = []
  #last = null

  save() {
    this.#saved.push([this.#page, this.#font, this.#size, this.leading])
  }

  restore() {
    const saved = this.#saved.pop()
    if (saved) [this.#page, this.#font, this.#size, this.leading] = saved
  }

  transform(matrix) {
    if (isMatrix(matrix)) this.#page = multiply(matrix, this.#page)
  }

  setFont(font, size) {
    this.#font = font
    this.#size = typeof size === 'number' ? size : 1
  }

  setMatrix(matrix) {
    if (!isMatrix(matrix)) return
    this.#line = matrix
    this.#advance = 0
  }

  move(x, y) {
    this.setMatrix(multiply([1, 0, 0, 1, x, y], this.#line))
  }

  nextLine() {
    this.move(0, -this.leading)
  }

  showSpaced(parts) {
    if (!Array.isArray(parts)) return
    for (const part of parts) {
      if (typeof part === 'number') this.#advance -= (part / 1000) * this.#size
      if (typeof part === 'string') this.show(part)
    }
  }

  show(text) {
    if (typeof text !== 'string' || text === '') return
    this.#separate()
    for (const character of this.#font.characters(text)) {
      this.text += character.text
      this.#advance += ((this.#font.widthOf?.(character.code) ?? 0) / 1000) * this.#size
    }
    this.#last = this.#position()
  }

  #separate() {
    if (this.#last === null || /\s$/.test(this.text)) return
    const { x, y, size } = this.#position()
    if (Math.abs(y - this.#last.y) > 0.5 * Math.min(size, this.#last.size)) {
      this.text += '\n'
      return
    }
    const gap = x - this.#last.x
    if (gap > 0.18 * size || gap < -size) this.text += ' '
  }

  #position() {
    const matrix = multiply([1, 0, 0, 1, this.#advance, 0], multiply(this.#line, this.#page))
    return { x: matrix[4], y: matrix[5], size: Math.abs(this.#size) * Math.hypot(matrix[2], matrix[3]) }
  }
}

function isMatrix(matrix) {
  return Array.isArray(matrix) && matrix.length === 6 && matrix.every((number) => typeof number === 'number')
}

function multiply([a, b, c, d, e, f], [A, B, C, D, E, F]) {
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F]
}
