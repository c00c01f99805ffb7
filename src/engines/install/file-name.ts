/** A name as a file name: `@scope/name` becomes `scope--name`. */
export function fileNameOf(name: string): string {
  return name
    .replace(/^[@.]+/, '')
    .replaceAll('/', '--')
    .replaceAll(/[^\w.-]/g, '-')
}
