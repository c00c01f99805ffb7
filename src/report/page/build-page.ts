import { dirname, basename, join } from 'node:path'
import { createRedactor } from '../../gateway/redact.ts'
import { sumOf } from '../../lib/lists.ts'
import { wilsonInterval } from '../../lib/rates.ts'
import { sha256 } from '../../lib/sha256.ts'
import { buildReport } from '../build/build-report.ts'
import { endingOf, foldReports } from '../fold/fold.ts'
import { ownReport, readReportFile, tokensOf, type ReadCase, type ReadReport } from '../read-report.ts'
import type { Report } from '../report.ts'
import { rerunCommand } from '../rerun-command.ts'
import { countOutcomes } from '../results/result.ts'
import { readJournals } from '../results/read-journal.ts'
import { provenanceOf, readRunEnd, type RunFolder } from '../results/run-folder.ts'
import { findRunFolder, runsFoldersAbove } from '../stored-report.ts'
import type { PageDetail, PageOverview, PageRow, PageTotals } from './page-data.ts'
import { readPageRun, type RunsFolders } from './page-run.ts'
import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { replaceFile } from '../../lib/files.ts'
import { ownProgram } from '../../own-folder.ts'
import { findReportProblem } from '../write-report.ts'

/** What a page is made of. */
export interface PageInput {
  readonly reports: readonly ReadReport[]
  readonly runsFolders: RunsFolders
}

/** The data of a page: what is read at once, and one block for each case. Cases are built when they are asked for. */
export interface PageBlocks {
  readonly overview: PageOverview
  readonly details: Iterable<{ readonly key: string; readonly detail: PageDetail }>
}

/** Prepares the data of a page. */
export function buildPage({ reports, runsFolders }: PageInput, now: Date = new Date()): PageBlocks {
  const keys = new Set<string>()
  const entries = reports.flatMap((report, index) =>
    report.cases.map((one) => ({ one, row: toRow(one, index, report.package.name ?? '', keys) })),
  )
  const isMatrix = new Set(entries.map(({ row }) => row.engine)).size > 1
  return {
    overview: {
      version: 1,
      generated_at: now.toISOString(),
      reports: reports.map((report) => {
        const { cases: _, ...head } = report
        return head
      }),
      totals: sumUp(reports),
      rows: entries.map(({ row }) => row),
    },
    details: details(entries, runsFolders, isMatrix),
  }
}

interface Entry {
  readonly one: ReadCase
  readonly row: PageRow
}

// One after the other: all transcripts of a run together may not fit into memory twice.
function* details(entries: readonly Entry[], runsFolders: RunsFolders, isMatrix: boolean): PageBlocks['details'] {
  for (const { one, row } of entries) {
    const { file, line, column, engine, planned_model: model } = row
    const engineMatrix = { environment: isMatrix ? [engine, ''] : null, option: null }
    const rerun = rerunCommand(
      {
        file,
        at: { line, column: column ?? 1 },
        engineName: engine,
        ...(model === null ? {} : { model }),
        ...(column === null ? {} : { sharesLine: true }),
      },
      { command: 'npx vitest-agent-evals run', cwd: '/', root: '/', engineMatrix },
    )
    yield { key: row.key, detail: { case: one, runs: one.runs.map((run) => readPageRun(run, runsFolders)), rerun } }
  }
}

function toRow(one: ReadCase, report: number, packageName: string, taken: Set<string>): PageRow {
  const id = one.id ?? one.name
  const engine = one.engine ?? 'unknown'
  const base = [one.arm, one.model].reduce<string>(
    (whole, part) => (part !== null && whole.endsWith(`@${part}`) ? whole.slice(0, -part.length - 1) : whole),
    id,
  )
  return {
    key: freeKey(one.name, [packageName, engine, id], taken),
    group: hash([packageName, base]),
    report,
    id,
    name: one.name,
    arm: one.arm,
    quarantined: one.quarantined,
    target: one.target,
    outcome: one.outcome,
    reason: one.outcome === 'passed' ? null : (one.error ?? one.skip_reason),
    error_code: one.error_code,
    engine,
    model: one.agent.model ?? null,
    planned_model: one.model,
    source: one.source,
    scripted: isScripted(one),
    cached: one.cached === true,
    format: one.format ?? '',
    category: one.category,
    tags: one.tags,
    file: one.file ?? '',
    line: one.line ?? 0,
    column: one.column,
    duration_seconds: timeOf(one),
    cost_usd: one.cost_usd,
    tokens: tokensOf(one),
    sandbox: one.sandbox?.enforced ?? null,
    runs: one.runs.length,
    rate: rateOf(one),
  }
}

function timeOf({ runs }: ReadCase): number | null {
  const times = runs.map(({ duration_seconds: time }) => time)
  return runs.length === 0 || times.includes(null) ? null : sumOf(times, (time) => time ?? 0)
}

// Readable, and the same in every page that holds the case.
function freeKey(name: string, parts: readonly string[], taken: Set<string>): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
    .slice(0, 40)
  for (let n = 1; ; n++) {
    const key = `${words}${words === '' ? '' : '-'}${hash(n === 1 ? parts : [...parts, String(n)])}`
    if (!taken.has(key)) {
      taken.add(key)
      return key
    }
  }
}

function hash(parts: readonly string[]): string {
  return sha256(parts.join('\0'), 8)
}

function isScripted({ source, recorded, agent }: ReadCase): boolean {
  return source === 'scenario' || recorded?.origin === 'scenario' || agent.model === 'scenario'
}

function rateOf(one: ReadCase): PageRow['rate'] {
  const { repeats, trigger } = one
  // What a scenario answers is no measurement, nor are runs that stopped at the verdict.
  if (isScripted(one) || (repeats?.saved ?? trigger?.saved ?? null) !== null) return null
  if (trigger !== null) {
    const { fired: count, completed, rate: value, interval } = trigger
    return { of: 'used', count, completed, value, interval }
  }
  return repeats === null
    ? null
    : {
        of: 'passed',
        count: repeats.passed,
        completed: repeats.completed,
        value: repeats.rate,
        interval: repeats.interval,
      }
}

function sumUp(reports: readonly ReadReport[]): PageTotals {
  const cases = reports.flatMap((one) => one.cases)
  const counted = cases.filter(({ arm }) => arm === null)
  const { decided, ...counts } = countOutcomes(counted)
  const ran = cases.filter(({ runs, error_code: code }) => runs.length > 0 || code === 'interrupted')
  return {
    total: counted.length,
    ...counts,
    rate: decided === 0 ? null : counts.passed / decided,
    interval: counted.some(isScripted) ? null : wilsonInterval(counts.passed, decided),
    cost_usd: sumOf(ran, ({ cost_usd: cost }) => cost ?? 0),
    unknown_cost: ran.filter(({ cost_usd: cost }) => cost === null).length,
    tokens: sumOf(ran, (one) => tokensOf(one) ?? 0),
    unknown_tokens: ran.filter(({ usage }) => usage === null).length,
    // Reports of one run have the time of that run each.
    duration_seconds: reports.reduce<number | null>(
      (most, { duration_seconds: time }) => (time === null ? most : Math.max(most ?? 0, time)),
      null,
    ),
  }
}

/** A page to write, and the run folder of its run; `null` when that is missing. */
export interface FoundInput {
  readonly input: PageInput
  readonly runFolder: string | null
}

/**
 * Reads a report file, absolute path, and finds its run folder.
 *
 * @throws {AgentEvalsError} `missing-input`, `invalid-report`
 */
export function inputOfReport(file: string): FoundInput {
  const report = redacted(readReportFile(file))
  const folder = findRunFolder(file, report.id)
  // A merged report has cases of several runs.
  const runsFolders = [...(folder === undefined ? [] : [dirname(folder.path)]), ...runsFoldersAbove(dirname(file))]
  return { input: { reports: [report], runsFolders: [...new Set(runsFolders)] }, runFolder: folder?.path ?? null }
}

/** Reads every report of a run from its folder, also of one that was lost or has not ended. */
export function inputOfRun({ path, plan }: RunFolder): FoundInput {
  const end = readRunEnd(path)
  const folded = foldReports([{ plan, journal: readJournals(path) }], end === null ? 'interrupted' : endingOf([end]))
  const reports = folded
    .filter(({ results }) => results.length > 0)
    .map((one) => buildReport(one, provenanceOf({ path, plan }, one.planned.packageRoot)))
  return { input: inputOfReports(reports, [dirname(path)]), runFolder: path }
}

/** Takes the reports of a run; `runsFolders` are the folders that hold its run folders. */
export function inputOfReports(reports: readonly Report[], runsFolders: RunsFolders): PageInput {
  return { reports: reports.map((report) => redacted(ownReport(report))), runsFolders }
}

function redacted<Value>(value: Value): Value {
  return createRedactor(process.env).values(value)
}

/** Writes the page of reports to a file, which it replaces.
 *
 * @throws {AgentEvalsError} `report-unwritable`
 */
export function writePage(input: PageInput, file: string): void {
  const problem = findReportProblem(file)
  if (problem !== null) throw unwritable(file, problem.message, problem)
  try {
    replaceFile(file, renderPage(buildPage(input)))
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
function renderPage(page: PageBlocks): string {
  const [head, middle, tail] = readTemplate()
  const blocks = [head, block('overview', page.overview), middle]
  for (const { key, detail } of page.details) blocks.push(block(`case-${key}`, detail))
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
