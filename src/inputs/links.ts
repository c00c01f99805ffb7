import { posix } from 'node:path'
import type { FolderLink, TreeFile } from './list-tree.ts'

/** Path below the tree's root that a link leads to. */
export function targetOf({ path, link }: FolderLink): string {
  return posix.join(posix.dirname(path), link)
}

/** All folders that hold some of these files. */
export function foldersOf(files: readonly Pick<TreeFile, 'path'>[]): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const { path } of files) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.add(path.slice(0, end))
  }
  return folders
}

/** The files whose links lead to one of them: what stays out is not to be read through a link either. */
export function withTargets<File extends TreeFile>(files: readonly File[]): readonly File[] {
  if (files.every(({ link }) => link === undefined)) return files
  const real = new Set(files.flatMap(({ path, link }) => (link === undefined ? [path] : [])))
  return files.filter(({ path, link }) => link === undefined || real.has(targetOf({ path, link })))
}

/** A part of a tree by itself, below `from`: a link that leads out of it becomes what it leads to. */
export function belowFolder<File extends TreeFile>(
  { files, links }: { readonly files: readonly File[]; readonly links: readonly FolderLink[] },
  from: string,
): { readonly files: readonly File[]; readonly links: readonly FolderLink[] } {
  const start = from === '' ? '' : `${from}/`
  const own = files.filter(({ path }) => path.startsWith(start))
  const isInside = (link: FolderLink): boolean => `${targetOf(link)}/`.startsWith(start)
  const ownLinks = links.filter(({ path }) => path.startsWith(start))
  const expanded = ownLinks.flatMap((link): readonly File[] => {
    const target = `${targetOf(link)}/`
    if (isInside(link)) return []
    return files.flatMap((file) =>
      file.path.startsWith(target) ? [contentOf(file, `${link.path}/${file.path.slice(target.length)}`)] : [],
    )
  })
  const kept = own.map((file) => {
    const { path, link } = file
    return link === undefined || isInside({ path, link }) ? file : contentOf(file, path)
  })
  const reroot = <Entry extends { readonly path: string }>(entry: Entry): Entry => {
    return { ...entry, path: entry.path.slice(start.length) }
  }
  return { files: [...kept, ...expanded].map(reroot), links: ownLinks.filter(isInside).map(reroot) }
}

/** A file at another path, without being a link. */
export function contentOf<File extends TreeFile>(file: File, path: string): File {
  const { link: _link, ...content } = file
  return { ...content, path } as File
}
