// A program of its own, one per session, outside of the sandbox: it may import from Node only.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { pathToFileURL } from 'node:url'
import type { LaunchedSession } from './command.ts'
import type { RuntimeConfig } from './config.ts'

const FUNCTIONS = ['initialize', 'wrapWithSandbox', 'cleanupAfterCommand']
const SHELL = '/bin/sh'
const STATUS = 3
const CHECK_MS = 250

void launch(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LaunchedSession).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

/** What is used of sandbox-runtime. */
interface SandboxManager {
  initialize(config: RuntimeConfig): Promise<void>
  wrapWithSandbox(command: string, shell: string): Promise<string>
  cleanupAfterCommand(): void
}

async function launch({ parent, module, config, command }: LaunchedSession): Promise<void> {
  endWith(parent)
  const manager = await loadManager(module)
  await manager.initialize(config)
  const wrapped = await manager.wrapWithSandbox(command, SHELL)
  // Without `exec` the sandbox would be the shell's child, and live on when this process is killed.
  const child = spawn(SHELL, ['-c', `exec ${wrapped}`], { stdio: ['inherit', 'inherit', 'inherit', STATUS] })
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => {
    manager.cleanupAfterCommand()
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
  })
}

// There is no other bond to a parent that is killed, and none at all on macOS.
function endWith(parent: number): void {
  const check = (): void => {
    if (process.ppid !== parent) endGroup()
  }
  check()
  setInterval(check, CHECK_MS).unref()
  // The library's own handlers clean up, and then keep the process.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, endGroup)
}

function endGroup(): void {
  process.kill(0, 'SIGKILL')
}

async function loadManager(module: string): Promise<SandboxManager> {
  const loaded = (await import(pathToFileURL(module).href)) as { readonly SandboxManager?: unknown }
  const manager = loaded.SandboxManager
  const missing = FUNCTIONS.filter(
    (name) => typeof manager !== 'object' || manager === null || typeof Reflect.get(manager, name) !== 'function',
  )
  if (missing.length === 0) return manager as SandboxManager

  throw new Error(`it has no SandboxManager.${missing.join(', SandboxManager.')}, so this version is not supported`)
}
