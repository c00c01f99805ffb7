import { readWorkspaceFile } from '../workspace/read-file.ts'
import type { Snapshot } from '../workspace/hash-walk.ts'
import type { SkillText } from '../transcript/skill-reads.ts'

/** Reads the skills that a session will find in its workspace: those of the package, and any other copy. */
export async function readInstalledSkills(root: string, { files }: Snapshot): Promise<readonly SkillText[]> {
  const skills = new Map<string, SkillText>()
  for (const path of files.keys()) {
    const folder = PLACE.exec(path)?.[1]
    if (folder === undefined || skills.size >= MOST) continue
    const read = await readWorkspaceFile(root, path, MOST_BYTES)
    if (read.status !== 'read') continue
    const text = read.bytes.toString('utf8')
    const name = NAME.exec(text)?.[1]?.trim() ?? folder
    if (!skills.has(name)) skills.set(name, { name, folder, text })
  }
  return [...skills.values()]
}

const PLACE = /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/
const NAME = /^---\r?\n(?:(?!---)[^\n]*\n)*?name:[ \t]*["']?([^"'\n]+?)["']?[ \t]*\r?\n/
const MOST = 500
const MOST_BYTES = 256 * 1024
