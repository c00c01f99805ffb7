import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resolveNativeProgram } from '../find/native-program.ts'

/** The native program behind npm's wrapper: a wrapper that is killed leaves it running. */
export function codexProgram(file: string): string {
  const target = TARGETS[`${process.platform}-${process.arch}`] ?? ''
  const program = process.platform === 'win32' ? 'codex.exe' : 'codex'
  const name = `@openai/codex-${process.platform}-${process.arch}/vendor/${target}`
  // Older versions keep it in a folder of its own name.
  return resolveNativeProgram(file, [`${name}/bin/${program}`, `${name}/codex/${program}`])
}

/** Programs beside the program that it starts: the host of its JavaScript tools, and its own search program. */
export function runtimeFiles(executable: string): readonly string[] {
  const folder = dirname(executable)
  return [
    join(folder, 'codex-code-mode-host'),
    ...['codex-package.json', 'codex-path', 'path'].map((name) => join(dirname(folder), name)),
  ].filter((file) => existsSync(file))
}

const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
}
