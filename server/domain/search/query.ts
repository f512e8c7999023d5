/** What is searched for: words, a picture, or both. */
export interface SearchQuery {
  readonly text?: string;
  /** An encoded picture (JPEG, PNG, WebP …). */
  readonly image?: Uint8Array;
}
