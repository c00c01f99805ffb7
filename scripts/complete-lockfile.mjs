// Run it after every change of dependencies: `node scripts/complete-lockfile.mjs`.
// npm leaves a platform's optional package out of package-lock.json when the registry in use does not serve it, and
// then `npm ci` refuses the lock on every machine. This adds what is missing, as npm would write it.
import { readFileSync, writeFileSync } from 'node:fs'

const OS = new Set(['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'sunos', 'win32'])
const CPU = new Set(['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'])

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
for (const [path, { optionalDependencies, dev, engines }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies ?? {})) {
    if (path === '' || isLocked(path, name)) continue
    const entry = { version: exact(range), ...platform(name), ...(dev && { dev }), optional: true, engines }
    lock.packages[`node_modules/${name}`] = entry
    console.log(`added ${name} ${entry.version}`)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en')))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

function isLocked(path, name) {
  return `${path}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages
}

function exact(range) {
  if (/^\d+\.\d+\.\d+[\w.-]*$/.test(range)) return range
  throw new Error(`Cannot lock the range ${range}; only exact versions of optional packages are expected.`)
}

/** From the last part of the name: `linux-x64-musl`, `binding-win32-arm64-msvc`, `linux-arm-gnueabihf`. */
function platform(name) {
  const words = name.split('/').at(-1).split('-')
  const os = words.filter((word) => OS.has(word))
  const cpu = words.filter((word) => CPU.has(word))
  const libc = os[0] === 'linux' ? words.flatMap((word) => /^(musl)|^(gnu)/.exec(word)?.slice(1) ?? []) : []
  const libcs = libc.filter(Boolean).map((word) => (word === 'gnu' ? 'glibc' : word))
  return { cpu, ...(libcs.length > 0 && { libc: libcs }), ...(os.length > 0 && { os }) }
}
