/** What the client libraries of every API send. */
export const CLIENT_HEADERS: readonly string[] = [
  'accept',
  'user-agent',
  ...['arch', 'helper-method', 'lang', 'os', 'package-version'].map((name) => `x-stainless-${name}`),
  ...['retry-count', 'runtime', 'runtime-version', 'timeout'].map((name) => `x-stainless-${name}`),
]
