/** A text as a test's name: one line, without characters that steer a terminal, and not too long to read. */
export function oneLine(text: string, most: number = 120): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u2069\uFEFF]/g, '')
    .trim()
  if (line.length <= most) return line
  const characters = Array.from(line)
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}
