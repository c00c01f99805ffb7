// Records the quick start for the README as docs/images/terminal.svg: npm run build && node scripts/terminal-picture.mjs
// It runs `init` and `run` in an empty folder and draws what they print, line by line.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COLUMNS = 84
const LINE_HEIGHT = 20
const CHARACTER_WIDTH = 8.43
const PADDING = 18
const TITLE_HEIGHT = 34
const COLORS = {
  1: { 'font-weight': 'bold' },
  2: { fill: '#8b949e' },
  31: { fill: '#ff7b72' },
  32: { fill: '#56d364' },
  33: { fill: '#e3b341' },
  36: { fill: '#76e3ea' },
  90: { fill: '#8b949e' },
  7: { 'font-weight': 'bold' },
}

const project = mkdtempSync(join(tmpdir(), 'quick-start-'))
try {
  prepare(project)
  const lines = ['init', 'run'].flatMap((command) => [
    { text: `\u001B[32m$\u001B[39m npx vitest-agent-evals ${command}`, pause: 900 },
    ...record(project, command).map((text) => ({ text, pause: 110 })),
    { text: '', pause: 500 },
  ])
  writeFileSync(join(ROOT, 'docs/images/terminal.svg'), draw(lines))
} finally {
  rmSync(project, { recursive: true, force: true })
}

/** An empty package that has what the quick start installs. */
function prepare(folder) {
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  writeFileSync(join(folder, 'package.json'), '{ "name": "my-skills" }\n')
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  mkdirSync(join(folder, 'node_modules/@anthropic-ai'))
  const installed = join(ROOT, 'node_modules')
  for (const name of ['vitest', 'vite', '@anthropic-ai/claude-code'])
    symlinkSync(join(installed, name), join(folder, 'node_modules', name))
  symlinkSync(join(installed, '.bin/claude'), join(folder, 'node_modules/.bin/claude'))
  symlinkSync(ROOT, join(folder, 'node_modules/vitest-agent-evals'))
}

function record(folder, command) {
  const env = { PATH: process.env.PATH, HOME: folder, FORCE_COLOR: '1', TERM: 'xterm' }
  const program = join(ROOT, 'dist/cli/main.js')
  const printed = execFileSync(process.execPath, [program, command], { cwd: folder, env, encoding: 'utf8' })
  return printed
    .replaceAll(folder, '~/my-skills')
    .replace(/^\n+|\n+$/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .split('\n')
    .map((line) => line.replace(/\u001B\[2m \(transform.*$/, ''))
}

function draw(lines) {
  const height = TITLE_HEIGHT + PADDING + lines.length * LINE_HEIGHT
  const width = Math.round(COLUMNS * CHARACTER_WIDTH + 2 * PADDING)
  let delay = 0
  const drawn = lines.map(({ text, pause }, index) => {
    const y = TITLE_HEIGHT + PADDING + index * LINE_HEIGHT
    const at = delay
    delay += pause
    return `<text x="${PADDING}" y="${y}" style="animation-delay:${at}ms">${spans(text)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="init writes a first case, and run replays it without a key: 1 passed">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre;animation:show 1ms both}@keyframes show{from{opacity:0}to{opacity:1}}@media(prefers-reduced-motion:reduce){text{animation:none}}</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="20" cy="17" r="6" fill="#ff5f57"/><circle cx="40" cy="17" r="6" fill="#febc2e"/><circle cx="60" cy="17" r="6" fill="#28c840"/>
${drawn.join('\n')}
</svg>
`
}

/** The parts of a line between its colour codes. */
function spans(line) {
  let attributes = {}
  const parts = []
  for (const part of line.split(/(\u001B\[[\d;]*m)/)) {
    const codes = /^\u001B\[([\d;]*)m$/.exec(part)?.[1]?.split(';')
    if (codes === undefined) {
      if (part !== '') parts.push(`<tspan${format(attributes)}>${escape(part)}</tspan>`)
      continue
    }
    for (const code of codes)
      attributes = ['', '0', '22', '39', '49', '27'].includes(code) ? {} : { ...attributes, ...COLORS[code] }
  }
  return parts.join('')
}

function format(attributes) {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('')
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
