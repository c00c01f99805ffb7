import { commandText } from './command-text.ts'
import type { Command } from '../../packages/package.ts'

/** Replaces a prompt that calls a command of the package by the command's text, for an engine that has no commands of a project. */
export function expandCommand(prompt: string, commands: readonly Command[]): string {
  const call = /^\/([^\s/]\S*)[^\S\n]*([^]*)$/.exec(prompt)
  const command = commands.find(({ name }) => name === call?.[1])
  if (command === undefined) return prompt
  const given = (call?.[2] ?? '').trim()
  const text = commandText(command)
  if (text.includes('$ARGUMENTS')) return text.replaceAll('$ARGUMENTS', () => given)
  return given === '' ? text : `${text.trimEnd()}\n\n${given}\n`
}
