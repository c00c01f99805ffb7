import type { Names } from '../skill-entry.ts'

/** Fields that hold the names of skills, words for a direction, or sentences that have to hold. */
export const SENTENCE_FIELDS = ['expect', 'expected'] as const

/** Whether a list holds sentences where skills could be named. */
export function holdsSentences(value: Names | boolean | null | undefined): boolean {
  return Array.isArray(value) && value.some((one) => isSentence(String(one)))
}

/** Whether a text is a sentence: no skill has a name with a blank, and few have one in a script without blanks. */
export function isSentence(text: string): boolean {
  return /\S\s+\S|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}\p{scx=Thai}]/u.test(text)
}
