/** A Markdown file with YAML front matter; JSON text is YAML, so that no value can break out of its line. */
export function withFrontMatter(
  fields: Readonly<Record<string, string | readonly string[] | null>>,
  body: string,
): string {
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${JSON.stringify(value)}`],
  )
  return `---\n${lines.join('\n')}\n---\n\n${body.trimStart()}`
}
