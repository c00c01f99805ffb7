import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Absolute path of Chromium on PATH; `null` when it is not there. */
export function chromiumExecutable(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const paths = folders.flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name)))
  return paths.find((path) => existsSync(path)) ?? null
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
