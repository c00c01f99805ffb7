#!/usr/bin/env node
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { openDocument } from './pdf/document.mjs'
import { PdfError } from './pdf/error.mjs'
import { selectPages } from './pdf/select-pages.mjs'
import { readText } from './pdf/text.mjs'

const USAGE = `Usage: extract.mjs FILE [--pages 1,3-4] [--output FILE]

Prints the text of a PDF, each page below a line "Page N".
  --pages   pages to print, such as 2 or 1,3-4 (default: all)
  --output  write the text to this file instead of printing it`

class UsageError extends Error {}

function main() {
  const { values, positionals } = readArguments()
  if (values.help) return console.log(USAGE)
  const [file] = positionals
  if (file === undefined || positionals.length > 1) throw new UsageError('give exactly one PDF file')

  const text = extract(file, values.pages)
  if (values.output === undefined) return process.stdout.write(text)
  mkdirSync(dirname(values.output), { recursive: true })
  writeFileSync(values.output, text)
  console.log(`Wrote the text of ${file} to ${values.output}`)
}

function extract(file, wanted) {
  const { pages } = openDocument(readFileSync(file))
  return selectPages(wanted, pages.length)
    .map((number) => `Page ${number}\n${readText(pages[number - 1]) || '(no text on this page)'}\n`)
    .join('\n')
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { pages: { type: 'string' }, output: { type: 'string' }, help: { type: 'boolean' } },
    })
  } catch (error) {
    throw new UsageError(error.message)
  }
}

function explain(error) {
  const file = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? ''
  if (error instanceof UsageError) return `extract: ${error.message}\n\n${USAGE}`
  if (error instanceof PdfError) return `extract: ${file}: ${error.message}`
  if (error.code === 'ENOENT') return `extract: ${error.path}: no such file`
  return `extract: ${file}: ${error.message}`
}

try {
  main()
} catch (error) {
  console.error(explain(error))
  process.exitCode = error instanceof UsageError ? 2 : 1
}
