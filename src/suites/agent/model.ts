import { findSection, splitSections } from './sections.ts'
import type { AgentModel } from '../golden.ts'

/** Reads what a model.md says: Markdown without front matter, the ids in the sections `Default model` and `Fallback`. */
export function parseModel(text: string, file: string): AgentModel {
  const sections = splitSections(text, 1)
  return {
    file,
    default: readId(findSection(sections, /^default(?: model)?\b/i)?.text ?? ''),
    fallback: readId(findSection(sections, /^fallback\b/i)?.text ?? ''),
    expectedFactsRequired: /^[^\S\r\n\u2028\u2029]*expected_facts_required:\s*true\b/m.test(text),
  }
}

/** What counts without a model.md. */
export const NO_MODEL: AgentModel = { file: null, default: null, fallback: null, expectedFactsRequired: false }

// As code, such as **`claude-opus-4-7`**, else the first word of the section.
function readId(section: string): string | null {
  const code = /`([\w./:@-]+)`/.exec(section)?.[1]
  return code ?? /^[*_\s-]*([\w./:@-]+)/.exec(section)?.[1] ?? null
}
