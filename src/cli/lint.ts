import type { Command } from './command.ts'
export const lint: Command = { name: 'lint', usage: '', summary: '', details: [], run: async () => 0 }
