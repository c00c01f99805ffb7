import { PdfError } from './error.mjs'
import { END, Lexer, Name, Reference, Word } from './lexer.mjs'
import { decodeStream, Stream } from './stream.mjs'

/**
 * Reads the pages of a PDF.
 *
 * Objects are found by walking the file, not by its cross-reference table: the walk also reads files whose table is
 * damaged, and when an object occurs twice the later one, the newer revision, wins.
 */
export function openDocument(bytes) {
  const source = bytes.toString('latin1')
  if (!source.slice(0, 1024).includes('%PDF-')) throw new PdfError('not a PDF (the file has no %PDF- header)')

  const { objects, trailers } = walk(source)
  if (trailers.some((trailer) => trailer.has('Encrypt'))) {
    throw new PdfError('the PDF is encrypted; remove its password first, then try again')
  }
  unpackObjectStreams(objects)

  const resolve = (value) => (value instanceof Reference ? (objects.get(value.number) ?? null) : value)
  const pages = [...listPages(findPageTree(objects, trailers, resolve), resolve)]
  if (pages.length === 0) throw new PdfError('the PDF is damaged: it has no pages that can be read')
  return { pages }
}

function walk(source) {
  const objects = new Map()
  const trailers = []
  const start = /(?<!\d)(\d+)[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+obj(?![a-z])|(?<![a-z])trailer(?![a-z])/g
  for (let match = start.exec(source); match; match = start.exec(source)) {
    const lexer = new Lexer(source, start.lastIndex)
    const value = lexer.next()
    if (match[1] === undefined) {
      if (value instanceof Map) trailers.push(value)
      continue
    }
    const stream = value instanceof Map ? readStream(source, lexer.position, value) : null
    if (stream && nameOf(value.get('Type')) === 'XRef') trailers.push(value)
    objects.set(Number(match[1]), stream?.value ?? value)
    start.lastIndex = stream?.end ?? Math.max(start.lastIndex, lexer.position)
  }
  return { objects, trailers }
}

function readStream(source, position, dictionary) {
  const opening = /[\0\t\n\f\r ]*stream(?:\r\n|\n|\r)/y
  opening.lastIndex = position
  if (!opening.exec(source)) return null

  const from = opening.lastIndex
  const to = findStreamEnd(source, from, dictionary.get('Length'))
  return { value: new Stream(dictionary, source.slice(from, to)), end: to }
}

// The declared length is believed only if the data really ends there.
function findStreamEnd(source, from, length) {
  if (typeof length === 'number' && /^\s*endstream/.test(source.slice(from + length, from + length + 16)))
    return from + length
  const end = source.indexOf('endstream', from)
  if (end === -1) return source.length
  return end - /(?:\r\n|\n|\r)?$/.exec(source.slice(Math.max(from, end - 2), end))[0].length
}

function unpackObjectStreams(objects) {
  const resolve = (value) => (value instanceof Reference ? objects.get(value.number) : value)
  for (const stream of [...objects.values()]) {
    if (!(stream instanceof Stream) || nameOf(stream.dictionary.get('Type')) !== 'ObjStm') continue
    const text = decodeStream(stream, resolve)
    const header = new Lexer(text)
    const first = resolve(stream.dictionary.get('First'))
    for (let left = resolve(stream.dictionary.get('N')); left > 0; left -= 1) {
      const number = header.next()
      const offset = header.next()
      if (typeof number !== 'number' || typeof offset !== 'number') break
      const value = new Lexer(text, first + offset).next()
      if (value !== END && !(value instanceof Word)) objects.set(number, value)
    }
  }
}

function findPageTree(objects, trailers, resolve) {
  const catalogs = [
    ...trailers.toReversed().map((trailer) => resolve(trailer.get('Root'))),
    ...[...objects.values()].filter((value) => value instanceof Map && nameOf(value.get('Type')) === 'Catalog'),
  ]
  return catalogs
    .map((catalog) => (catalog instanceof Map ? resolve(catalog.get('Pages')) : null))
    .find((tree) => tree instanceof Map)
}

function* listPages(node, resolve, inherited = null, seen = new Set()) {
  if (!(node instanceof Map) || seen.has(node)) return
  seen.add(node)
  const resources = resolve(node.get('Resources')) ?? inherited
  const children = resolve(node.get('Kids'))
  if (!Array.isArray(children)) {
    yield { contents: readContents(node, resolve), resources, resolve }
    return
  }
  for (const child of children) yield* listPages(required(child, resolve), resolve, resources, seen)
}

function readContents(page, resolve) {
  if (!page.has('Contents')) return ''
  return [required(page.get('Contents'), resolve)]
    .flat()
    .map((part) => required(part, resolve))
    .filter((part) => part instanceof Stream)
    .map((part) => decodeStream(part, resolve))
    .join('\n')
}

// Half a file must not pass for a whole one.
function required(value, resolve) {
  const target = resolve(value)
  if (target === null) throw new PdfError(`the PDF is damaged: object ${value?.number ?? '?'} of a page is missing`)
  return target
}

function nameOf(value) {
  return value instanceof Name ? value.name : null
}
