import { constants, inflateSync } from 'node:zlib'
import { PdfError } from './error.mjs'
import { Name } from './lexer.mjs'

// A page of text is a few kilobytes; this stops a small file that unpacks to gigabytes.
const LARGEST = 64 * 1024 * 1024

/** A stream object: its dictionary and its data as stored, one byte per character. */
export class Stream {
  constructor(dictionary, data) {
    this.dictionary = dictionary
    this.data = data
  }
}

const DECODERS = {
  FlateDecode: inflate,
  Fl: inflate,
  ASCIIHexDecode: fromHex,
  AHx: fromHex,
  ASCII85Decode: fromAscii85,
  A85: fromAscii85,
}

/** Undoes the filters of a stream. */
export function decodeStream(stream, resolve) {
  const filters = [resolve(stream.dictionary.get('Filter')) ?? []].flat().map(resolve)
  return filters.reduce((data, filter) => {
    const name = filter instanceof Name ? filter.name : String(filter)
    const decode = DECODERS[name]
    if (!decode) throw new PdfError(`the PDF uses the filter ${name}, which this script does not read`)
    return decode(data)
  }, stream.data)
}

function inflate(data) {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: LARGEST }
    return inflateSync(Buffer.from(data, 'latin1'), options).toString('latin1')
  } catch (error) {
    const tooLarge = error.code === 'ERR_BUFFER_TOO_LARGE'
    throw new PdfError(tooLarge ? 'a stream of the PDF is larger than 64 MB' : `the PDF is damaged: ${error.message}`)
  }
}

function fromHex(data) {
  const digits = data.split('>')[0].replace(/[^0-9a-f]/gi, '')
  return Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex').toString('latin1')
}

function fromAscii85(data) {
  const digits = data
    .replace(/^\s*<~/, '')
    .split('~')[0]
    .replace(/\s/g, '')
    .replaceAll('z', '!!!!!')
  let text = ''
  for (let index = 0; index < digits.length; index += 5) {
    const group = digits.slice(index, index + 5)
    const number = [...group.padEnd(5, 'u')].reduce((sum, digit) => sum * 85 + digit.charCodeAt(0) - 33, 0)
    const bytes = [24, 16, 8, 0].map((shift) => String.fromCharCode(Math.floor(number / 2 ** shift) & 0xff))
    text += bytes.slice(0, group.length - 1).join('')
  }
  return text
}
