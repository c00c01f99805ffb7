import type { Command } from './command.ts'
export const merge: Command = { name: 'merge', usage: '', summary: '', details: [], run: async () => 0 }
