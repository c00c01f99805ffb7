import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { replaceFile } from '../../lib/files.ts'
import { ownProgram } from '../../own-folder.ts'
import { findReportProblem } from '../write-report.ts'
import { buildPage, type PageBlocks, type PageSource } from './build-page.ts'

/** Writes the page of reports to a file, which it replaces.
 *
 * @throws {AgentEvalsError} `report-unwritable`
 */
export function writePage(source: PageSource, file: string): void {
  const problem = findReportProblem(file)
  if (problem !== null) throw unwritable(file, problem.message, problem)
  try {
    replaceFile(file, renderPage(buildPage(source)))
  } catch (error) {
    if (error instanceof AgentEvalsError) throw error
    throw unwritable(file, messageOf(error), error)
  }
}

/** Where the page of a run folder is written when no place is named. */
export function defaultPagePath(runFolder: string): string {
  return join(runFolder, 'report.html')
}

/** Where the page of one report is written when no place is named: in its run folder, else beside the report. */
export function pagePathOf(reportFile: string, runFolder: string | null): string {
  return join(runFolder ?? dirname(reportFile), `${basename(reportFile, '.json')}.html`)
}

function unwritable(file: string, reason: string, cause: unknown): AgentEvalsError {
  return new AgentEvalsError('report-unwritable', `Cannot write the page to ${file}: ${reason} Name another file.`, {
    cause,
  })
}

/** Makes the one file of a page: the built template with the compressed data in it. */
function renderPage({ overview, details }: PageBlocks): string {
  const [head, middle, tail] = readTemplate()
  const blocks = [head, block('overview', overview), middle]
  for (const { key, detail } of details) blocks.push(block(`case-${key}`, detail))
  return [...blocks, tail].join('\n')
}

// A browser parses plain text twice as fast as the text of a script, shows none of a template, and runs none of it;
// base64 holds nothing that could end it.
function block(id: string, value: unknown): string {
  const data = deflateRawSync(JSON.stringify(value)).toString('base64')
  return `<template id="${id}">${data}</template>`
}

function readTemplate(): readonly [head: string, middle: string, tail: string] {
  const parts = readFileSync(ownProgram('page/template.html'), 'utf8').split(/<!-- (?:overview|cases) -->/)
  const [head, middle, tail] = parts
  if (head !== undefined && middle !== undefined && tail !== undefined && parts.length === 3)
    return [head, middle, tail]
  throw new AgentEvalsError('missing-input', 'The template of the report page is damaged. Install the package again.')
}
