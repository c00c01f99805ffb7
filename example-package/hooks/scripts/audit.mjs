// Adds a line to output/audit.log for each file that was written. Never fails a run: it only keeps notes.
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readEvent } from './event.mjs'

try {
  const { tool, file, project } = readEvent()
  if (file !== null) {
    const folder = join(project, 'output')
    if (!existsSync(folder)) mkdirSync(folder)
    appendFileSync(join(folder, 'audit.log'), `${new Date().toISOString()} ${tool} ${relative(project, file)}\n`)
  }
} catch (error) {
  console.error(`audit: no line written (${error.message})`)
}
