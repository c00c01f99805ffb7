/**
 * Loads a configuration, and where the folder is read-only once more without writing: Vite's usual loader puts a
 * compiled copy beside the configuration.
 */
export async function loadUnwritable<T>(
  load: (loader: { readonly configLoader?: 'runner' }) => Promise<T>,
): Promise<T> {
  try {
    return await load({})
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
    if (!UNWRITABLE.has(code)) throw error
    return load({ configLoader: 'runner' })
  }
}

const UNWRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS'])
