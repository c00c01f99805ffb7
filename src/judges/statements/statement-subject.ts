/**
 * What a statement is about, as far as its words show it. `trace`: something the agent did, which only the transcript
 * shows. `work`: something it wrote, which files show too. `open`: anything else, such as what it says.
 */
export type StatementSubject = 'open' | 'trace' | 'work'

/** Reads it from the first verb that names an act: "says what it ran" is about words, "ran the tests and says so" is not. */
export function subjectOf(statement: string): StatementSubject {
  const first = VERBS.exec(statement)?.groups
  if (first === undefined || first['says'] !== undefined) return 'open'
  if (!OBJECT.test(statement)) return 'open'
  return first['works'] === undefined ? 'trace' : 'work'
}

const SAYS =
  'say|says|said|tell|tells|told|answers?|answered|replies|reply|replied|reports?|reported|mentions?|mentioned|explains?|explained|states?|stated|names?|named|lists?|listed|describes?|described|asks?|asked|claims?|claimed|admits?|admitted|notes|noted|shows?|shown|summari[sz]es?|gives?|outputs?|responses?|messages?|contains?|includes?|greets?'
const TRACE =
  'run|runs|ran|executes?|executed|calls?|called|invokes?|invoked|uses?|used|reads?|opens?|opened|deletes?|deleted|removes?|removed|searche[sd]|installs?|installed|commits?|committed|tests?|tested|blocks?|blocked|denie[sd]|delegates?|delegated|loads?|loaded|fetche[sd]|downloads?|downloaded|touche[sd]'
const WORK =
  'creates?|created|writes?|wrote|written|saves?|saved|edits?|edited|modifie[sd]|modify|changes?|changed|renames?|renamed|moves?|moved|copies|copied|adds?|added|inserts?|inserted|replaces?|replaced|updates?|updated'
const VERBS = new RegExp(`\\b(?:(?<says>${SAYS})|(?<traces>${TRACE})|(?<works>${WORK}))\\b`, 'i')

// "It writes a haiku" may be about the answer; with a file or a tool it is not.
const OBJECT =
  /\b(?:files?|folders?|director(?:y|ies)|tools?|commands?|scripts?|skills?|hooks?|tests|test suite|sub-?agents?|servers?|packages?|dependenc(?:y|ies)|repositor(?:y|ies)|workspace|logs?)\b|[\w-]\/[\w.-]|\b[\w-]+\.[a-z]\w{0,5}\b|`[^`]+`/i
