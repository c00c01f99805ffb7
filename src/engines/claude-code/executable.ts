import { resolveNativeProgram } from '../find/native-program.ts'

/** The native program behind whatever an installer has put on PATH. */
export function resolveExecutable(file: string): string {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude'
  return resolveNativeProgram(
    file,
    ['', '-musl'].map((libc) => `${name}${libc}/${program}`),
  )
}
