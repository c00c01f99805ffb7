import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const EXECUTABLES = ['/usr/bin/chromium', '/usr/bin/chromium-browser']

/** Absolute path of Chromium as Debian installs it; `null` when it is not installed. */
export function chromiumExecutable(): string | null {
  return EXECUTABLES.find((path) => existsSync(path)) ?? null
}

/** Starts Chromium without a window. The caller closes it. */
export async function startChromium(): Promise<Browser> {
  const executable = chromiumExecutable()
  if (executable === null) throw new Error('Chromium is not installed.')
  return chromium.launch({
    executablePath: executable,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--enable-precise-memory-info',
    ],
  })
}
