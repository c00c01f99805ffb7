import type { Command } from './command.ts'
export const init: Command = { name: 'init', usage: '', summary: '', details: [], run: async () => 0 }
