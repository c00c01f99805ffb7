/** A text of a record, short enough for a message. */
export function quoteRecord(text: string): string {
  return JSON.stringify(text.length <= 120 ? text : `${text.slice(0, 119)}…`)
}
