/** What a remark on a field of the author's own says. */
export const UNKNOWN = 'has no effect: unknown field'
