import type { Lists, RunSettings } from '../../settings.ts'

/** The settings with the lists that their module holds, where they name one. */
export async function withLists(settings: RunSettings): Promise<RunSettings> {
  const module = settings.lists?.module
  if (module === undefined) return settings
  const { lists }: { readonly lists: Lists } = await import(module)
  return { ...settings, lists }
}
