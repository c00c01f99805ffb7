import { isAbsolute, join } from 'node:path'

/**
 * Resolves a suite file to itself. Vite would follow a link, and an error would show what it points to.
 *
 * @returns the absolute path, or `undefined` for what is no suite file.
 */
export function keepLink(
  source: string,
  { root, owns }: { readonly root: string; readonly owns: (file: string) => boolean },
): string | undefined {
  if (!isAbsolute(source)) return undefined
  // A test file is asked for by its path on the disk, or below the root.
  return [source, join(root, source)].find((file) => owns(file))
}
