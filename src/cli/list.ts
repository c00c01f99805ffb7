import type { Command } from './command.ts'
export const list: Command = { name: 'list', usage: '', summary: '', details: [], run: async () => 0 }
