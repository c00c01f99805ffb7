// Blocks a write that leaves the project or reaches a file nobody should change on the way. Exit code 2 blocks.
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { readEvent } from './event.mjs'

const PROTECTED_IN_PROJECT = /^(?:\.git|\.claude|\.env[^/\\]*)(?:[/\\]|$)/

try {
  const { file, project } = readEvent()
  const reason = file === null ? null : whyProtected(file, project)
  if (reason !== null) block(`${file} is a protected path (${reason})`)
} catch (error) {
  // A guard that cannot read its input must not let the write through.
  block(`the guard cannot tell whether this is a protected path (${error.message})`)
}

function whyProtected(file, project) {
  const root = followLinks(project)
  const path = relative(root, followLinks(file))
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return `it is outside the project ${project}`
  if (PROTECTED_IN_PROJECT.test(path)) return 'the project keeps its settings or secrets there'
  if (root === followLinks(homedir()) && path.startsWith('.')) return 'it is a settings file of the home folder'
  return null
}

// The file may not exist yet: follows the links of the part that does.
function followLinks(path) {
  try {
    return realpathSync(path)
  } catch (error) {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    return join(followLinks(dirname(path)), basename(path))
  }
}

function block(message) {
  console.error(`blocked: ${message}`)
  process.exit(2)
}
