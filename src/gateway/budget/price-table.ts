/** The package that prices come from, pinned in the manifest; its version is in every report. */
export const PRICE_TABLE = '@pydantic/genai-prices'
