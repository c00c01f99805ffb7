/** Names of the manifest; the first one that exists counts. */
export const MANIFEST_NAMES: readonly string[] = ['package.agent.json', 'package.agent.yaml']
