import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { AgentEvalsError } from '../../errors.ts'
import { ownProgram } from '../../own-folder.ts'
import type { PageBlocks } from './build-page.ts'

/** Makes the one file of a page: the built template with the compressed data in it. */
export function renderPage({ overview, details }: PageBlocks): string {
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
