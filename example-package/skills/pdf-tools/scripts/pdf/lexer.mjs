/** A PDF name such as `/Type`, without its slash. */
export class Name {
  constructor(name) {
    this.name = name
  }
}

/** A pointer to another object, such as `12 0 R`. */
export class Reference {
  constructor(number) {
    this.number = number
  }
}

/** A bare word: an operator of a content stream, or `obj`, `stream`, `endobj`. */
export class Word {
  constructor(word) {
    this.word = word
  }
}

/** What the lexer answers at the end of its text. */
export const END = Symbol('end')

const ESCAPES = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Reads PDF values from a text that holds one byte per character. Strings stay that way; dictionaries become maps. */
export class Lexer {
  constructor(source, position = 0) {
    this.source = source
    this.position = position
  }

  next() {
    this.#skipSpace()
    const { source } = this
    const character = source[this.position]
    if (character === undefined) return END
    if (character === '/') return this.#name()
    if (character === '(') return this.#literalString()
    if (source.startsWith('<<', this.position)) return this.#dictionary()
    if (character === '<') return this.#hexString()
    if (character === '[') return this.#array()
    if (/[)\]>{}]/.test(character)) return this.#delimiter(character)
    return this.#numberOrWord()
  }

  #skipSpace() {
    this.#match(/(?:[\0\t\n\f\r ]+|%[^\r\n]*)*/y)
  }

  #match(pattern) {
    pattern.lastIndex = this.position
    const match = pattern.exec(this.source)
    if (match) this.position += match[0].length
    return match
  }

  #name() {
    const [text] = this.#match(/\/[^\0\t\n\f\r ()<>[\]{}/%]*/y)
    return new Name(text.slice(1).replace(/#([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))))
  }

  #numberOrWord() {
    const [text] = this.#match(/[^\0\t\n\f\r ()<>[\]{}/%]+/y)
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return this.#reference(text) ?? Number(text)
    if (text === 'true') return true
    if (text === 'false') return false
    if (text === 'null') return null
    return new Word(text)
  }

  #reference(text) {
    if (!/^\d+$/.test(text)) return null
    return this.#match(/[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/y) && new Reference(Number(text))
  }

  #delimiter(character) {
    const word = this.source.startsWith('>>', this.position) ? '>>' : character
    this.position += word.length
    return new Word(word)
  }

  #array() {
    this.position += 1
    return this.#until(']')
  }

  #dictionary() {
    this.position += 2
    const entries = this.#until('>>')
    const dictionary = new Map()
    for (let index = 0; index + 1 < entries.length; index += 2) {
      if (entries[index] instanceof Name) dictionary.set(entries[index].name, entries[index + 1])
    }
    return dictionary
  }

  #until(close) {
    const values = []
    for (let value = this.next(); value !== END; value = this.next()) {
      if (value instanceof Word && value.word === close) break
      if (value instanceof Word && /^(?:endobj|endstream|stream)$/.test(value.word)) break
      values.push(value)
    }
    return values
  }

  #hexString() {
    const [text] = this.#match(/<[^>]*>?/y)
    const digits = text.replace(/[^0-9a-f]/gi, '')
    return Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex').toString('latin1')
  }

  #literalString() {
    const { source } = this
    let text = ''
    let depth = 1
    this.position += 1
    while (this.position < source.length) {
      const character = source[this.position++]
      if (character === '\\') {
        text += this.#escape()
        continue
      }
      if (character === '(') depth += 1
      if (character === ')' && --depth === 0) break
      text += character
    }
    return text
  }

  #escape() {
    const octal = this.#match(/[0-7]{1,3}/y)
    if (octal) return String.fromCharCode(parseInt(octal[0], 8) & 0xff)
    if (this.#match(/\r\n|\r|\n/y)) return ''
    const character = this.source[this.position++] ?? ''
    return ESCAPES[character] ?? character
  }
}
