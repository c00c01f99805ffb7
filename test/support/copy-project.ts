import { cp } from 'node:fs/promises'

/** Copies a project as it was written, without what is installed in it and what runs leave. */
export async function copyProject(from: string, to: string): Promise<void> {
  const isWritten = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports|runs)(?:\/|$)/.test(file)
  await cp(from, to, { recursive: true, filter: (file) => isWritten(file.slice(from.length)) })
}
