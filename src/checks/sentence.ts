import { singleSpaced } from '../texts.ts'
/** What a sentence asks that needs no judge. Paths are those of the workspace; a plain name is a file that was written. */
export type Sentence =
  | { readonly kind: 'file-exists'; readonly path: string; readonly holds: boolean }
  | { readonly kind: 'file-contains'; readonly path: string; readonly text: string; readonly holds: boolean }
  | { readonly kind: 'file-words'; readonly path: string; readonly least: number; readonly most: number }
  | { readonly kind: 'file-is-json' | 'file-unchanged'; readonly path: string }
  | { readonly kind: 'no-file'; readonly change: 'created' | 'deleted' | 'modified' }
  | { readonly kind: 'says'; readonly text: string; readonly holds: boolean }
  | { readonly kind: 'skill-used' | 'tool-called'; readonly name: string; readonly holds: boolean }

/**
 * Reads an expectation that is word for word a sentence of the documented list; `null` for every other one, which is the
 * judge's. The whole sentence has to match: a longer sentence means more than a check can see.
 */
export function readSentence(text: string): Sentence | null {
  const sentence = singleSpaced(text).replace(/\.$/, '')
  for (const [pattern, read] of SENTENCES) {
    const found = pattern.exec(sentence)
    const asked = found?.groups === undefined ? null : read(found.groups)
    if (asked !== null) return asked
  }
  return null
}

type Parts = Readonly<Record<string, string | undefined>>
type Reader = (parts: Parts) => Sentence | null

const PATH = String.raw`(?:\`(?<tick>[^\`]+)\`|"(?<double>[^"]+)"|'(?<single>[^']+)'|(?<bare>[\w@./-]+))`
const FILE = `(?:(?:the|a|an) )?(?:file )?(?:(?:named|called|at) )?${PATH}`
const TEXT = String.raw`(?:\`(?<textTick>[^\`]+)\`|"(?<textDouble>[^"]+)"|'(?<textSingle>[^']+)')`
const CONTAINS = '(?:(?:contains|includes)|(?<no>does not (?:contain|include)))(?: the (?:text|string|word|phrase))?'
const IS = '(?:is|was|has been)'
const TOOL = String.raw`[\`"']?(?<tool>\w+)[\`"']?`
const SKILL = String.raw`[\`"'](?<skill>[\w:-]+)[\`"']`

const SENTENCES: readonly (readonly [RegExp, Reader])[] = [
  asSentence(`${FILE} (?:exists|${IS} (?:created|present|written))`, (parts) =>
    aboutFile(parts, (path) => ({ kind: 'file-exists', path, holds: true })),
  ),
  asSentence(`${FILE} (?:does not exist|${IS} not (?:created|present|written))`, (parts) =>
    aboutFile(parts, (path) => ({ kind: 'file-exists', path, holds: false })),
  ),
  asSentence(`${FILE} ${CONTAINS} ${TEXT}`, (parts) =>
    aboutFile(parts, (path) => ({
      kind: 'file-contains',
      path,
      text: textOf(parts),
      holds: parts['no'] === undefined,
    })),
  ),
  asSentence(String.raw`${FILE} word count is between (?<least>\d{1,7}) and (?<most>\d{1,7})`, aboutWords),
  asSentence(String.raw`${FILE} has between (?<least>\d{1,7}) and (?<most>\d{1,7}) words`, aboutWords),
  asSentence(String.raw`${FILE} has at least (?<least>\d{1,7}) words`, aboutWords),
  asSentence(String.raw`${FILE} has at most (?<most>\d{1,7}) words`, aboutWords),
  asSentence(`${FILE} is valid JSON`, (parts) => aboutFile(parts, (path) => ({ kind: 'file-is-json', path }))),
  asSentence(
    `${FILE} ${IS} (?:unchanged|not (?:been )?(?:changed|modified|edited)|byte-identical to the (?:staged )?fixture)`,
    (parts) => aboutFile(parts, (path) => ({ kind: 'file-unchanged', path })),
  ),
  asSentence('no (?:new )?files? (?:is|are|was|were) (?<change>created|modified|deleted)', ({ change }) =>
    change === 'created' || change === 'modified' || change === 'deleted' ? { kind: 'no-file', change } : null,
  ),
  asSentence(`the final (?:assistant )?message ${CONTAINS} ${TEXT}`, (parts) => {
    return { kind: 'says', text: textOf(parts), holds: parts['no'] === undefined }
  }),
  asSentence(`the transcript contains (?:(?<no>no)|an?) ${TOOL} tool calls?`, aboutTool),
  asSentence(`the ${TOOL} tool ${IS} (?<no>not |never )?(?:called|used)`, aboutTool),
  asSentence(`the ${SKILL} skill ${IS} (?<no>not |never )?(?:used|invoked)`, aboutSkill),
  asSentence(`the skill ${SKILL} ${IS} (?<no>not |never )?(?:used|invoked)`, aboutSkill),
]

function asSentence(pattern: string, read: Reader): readonly [RegExp, Reader] {
  return [new RegExp(`^${pattern}$`, 'i'), read]
}

// What has no extension may be a key, a route or prose. No wildcard, no place holder, nothing absolute.
function aboutFile({ tick, double, single, bare }: Parts, make: (path: string) => Sentence): Sentence | null {
  const path = (tick ?? double ?? single ?? bare ?? '').replace(/^(?:\.\/)+/, '')
  const isRelative = /^[\w@.-]+(?:\/[\w@.-]+)*\.\w+$/.test(path) && !path.split('/').includes('..')
  return isRelative ? make(path) : null
}

function aboutWords(parts: Parts): Sentence | null {
  const [least, most] = [Number(parts['least'] ?? 0), Number(parts['most'] ?? Infinity)]
  return aboutFile(parts, (path) => ({ kind: 'file-words', path, least, most }))
}

// Tools are capitalised, or are a server's: `no failed tool calls` names none.
function aboutTool({ tool = '', no }: Parts): Sentence | null {
  return /^[A-Z]|__/.test(tool) ? { kind: 'tool-called', name: tool, holds: no === undefined } : null
}

function aboutSkill({ skill = '', no }: Parts): Sentence {
  return { kind: 'skill-used', name: skill, holds: no === undefined }
}

function textOf({ textTick, textDouble, textSingle }: Parts): string {
  return textTick ?? textDouble ?? textSingle ?? ''
}
