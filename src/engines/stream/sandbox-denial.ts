/** Whether the result of a call that failed says that the sandbox stopped it. */
export function isSandboxDenial(text: string): boolean {
  return /\bEROFS\b|read-only file system|<sandbox_violations>/i.test(text)
}
