import { vi } from 'vitest'
import type { Command } from '../../src/cli/flags.ts'

/** What a command of ours prints in this process. */
export async function printed(command: Command, ...argv: readonly string[]): Promise<string> {
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    await command.run(argv)
  } finally {
    spy.mockRestore()
  }
  return written.join('')
}
