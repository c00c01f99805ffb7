export declare const ROOMS: readonly string[]
export declare const ENTRIES: readonly string[]
export declare function lintRules(): unknown
