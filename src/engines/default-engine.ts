/** The engine of a case that names none. Apart from the list of engines: a worker needs the name alone. */
export const DEFAULT_ENGINE = 'claude-code'
