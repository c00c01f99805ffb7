/** Puts untrusted text between two lines that only we can write: they carry the nonce of this very request. */
export function fence(name: string, text: string, nonce: string): string {
  return `<evidence ${nonce} ${name}>\n${neutralise(text)}\n</evidence ${nonce}>`
}

/** Makes whatever looks like one of our lines plain text. What a quote is looked up in has to be treated alike. */
export function neutralise(text: string): string {
  return text.replaceAll(FENCE, '‹$1').replaceAll(INVISIBLE, '')
}

/** Whether a text tries to end its fence. */
export function hasForgedFence(text: string): boolean {
  return text.search(FENCE) !== -1
}

const FENCE =
  /<([\p{Cf}\s]*(?:\/[\p{Cf}\s]*)?e[\p{Cf}]*v[\p{Cf}]*i[\p{Cf}]*d[\p{Cf}]*e[\p{Cf}]*n[\p{Cf}]*c[\p{Cf}]*e)/giu

// Zero-width, bidirectional and control characters hide orders from a reader and words from a search.
const INVISIBLE =
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu
