/** A tool's result without what an engine added to it in reminders. */
export function withoutReminders(text: string): string {
  // Without the last end each of many beginnings would be read to the end of the text.
  const end = text.lastIndexOf(END) + END.length
  if (end < END.length) return text
  return text.slice(0, end).replaceAll(REMINDER, '') + text.slice(end)
}

/** The reminders at the end of a tool's result, where engines add them. One further up is the tool's own. */
export function remindersAfter(text: string): string {
  let from = text.length
  for (;;) {
    const before = text.slice(0, from).trimEnd()
    const start = before.endsWith(END) ? before.lastIndexOf(START) : -1
    if (start < 0) return text.slice(from)
    from = start
  }
}

const START = '<system-reminder>'
const END = '</system-reminder>'
const REMINDER = /(?:(?<!\s)\s+)?<system-reminder>[^]*?<\/system-reminder>/g
