import { unprocessable } from "../../domain/errors.ts";
import type { Highlight } from "../../domain/items/highlight.ts";
import type { HighlightedPage } from "../../domain/ports/worker.ts";
import { type DocumentSources, openPdf } from "../document-pdf.ts";
import { DocumentError, PageError } from "../errors.ts";
import type { PagePool } from "../threads/pool.ts";

interface Options extends DocumentSources {
  readonly pool: Pick<PagePool, "highlightPage">;
}

/** Finds the positions of words on pages, without caching. Throws `unprocessable` with the reason if a page cannot be read. */
export function createHighlighter(
  options: Options,
): (page: HighlightedPage, signal?: AbortSignal) => Promise<readonly Highlight[]> {
  return async ({ datasetId, page, words }, signal) => {
    const pdf = await openPdf(options, datasetId);
    try {
      return await options.pool.highlightPage({ file: pdf.path, page, words }, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof PageError || cause instanceof DocumentError) {
        throw unprocessable(`the words of page ${page} cannot be found: ${cause.message}`);
      }
      throw cause;
    } finally {
      await pdf.release();
    }
  };
}
