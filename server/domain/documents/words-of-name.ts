/** What a document is found by in its name: without what tells formats apart, and with spaces where people write other signs. */
export const wordsOfName = (fileName: string): string =>
  fileName.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[_\-.+]+/g, " ");
