/** The file cannot be read as a PDF; the message is for a person. */
export class PdfError extends Error {}
