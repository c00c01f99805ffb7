import type { Command } from './command.ts'
export const diff: Command = { name: 'diff', usage: '', summary: '', details: [], run: async () => 0 }
