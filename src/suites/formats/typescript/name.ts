/** The format of tests in TypeScript. Apart from the list of formats: a worker needs the name alone. */
export const TEST_FORMAT = 'typescript'
