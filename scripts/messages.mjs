// Prints every text of src that a person may read, in sequence: node scripts/messages.mjs [FOLDER]
// Read it from top to bottom after a change: messages are read one after the other, not file by file.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The texts of all modules below a folder of the repository that are sentences, as `{ file, line, text }`. */
export function collectMessages(folder = 'src') {
  return collectTexts(folder).filter(({ text }) => isSentence(text))
}

/** All texts of all modules below a folder of the repository, as `{ file, line, text }`. */
export function collectTexts(folder = 'src') {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .flatMap(textsOf)
}

function textsOf(path) {
  const source = readFileSync(path, 'utf8')
  const file = relative(ROOT, path)
  const found = []
  walk(parseAst(source, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path), (node) => {
    const text = textOf(node)
    if (text !== null && text.trim() !== '')
      found.push({
        file,
        line: source.slice(0, node.start).split('\n').length,
        text: text.replaceAll(/\s+/g, ' ').trim(),
      })
  })
  return found
}

// What is filled in counts as one word.
function textOf(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('…')
  if (node.type === 'JSXText') return node.value
  return null
}

/** Three words at least, as people write them. */
function isSentence(text) {
  return /(?:^|[\s(])[A-Za-z]?[a-z]+,? [a-z…]+ [a-z…]+/.test(text) && !/^[\w-]+(?: [\w-]+=)/.test(text)
}

function walk(node, visit) {
  if (Array.isArray(node)) for (const one of node) walk(one, visit)
  else if (typeof node?.type === 'string') {
    // Names of modules and types are no messages.
    if (/^(?:Import|ExportAll)|^TS(?:Literal|TypeAnnotation|TypeAlias|Interface)/.test(node.type)) return
    visit(node)
    for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { file, line, text } of collectMessages(process.argv[2])) console.log(`${file}:${line}\n  ${text}`)
