/** Whether two ids are one model, with or without a date behind its name. */
export function isSameModel(one: string, other: string): boolean {
  return one === other || isDated(one, other) || isDated(other, one)
}

function isDated(dated: string, id: string): boolean {
  return dated.startsWith(`${id}-`) && /^-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/.test(dated.slice(id.length))
}
