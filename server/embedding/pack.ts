import type { PageInSpace } from "../domain/ports/features.ts";
import type { QueryInSpace, SearchQuery } from "../domain/ports/worker.ts";
import type { PackRanking } from "../domain/ports/pack-ranking.ts";
import type { PageOcr } from "./ocr/page-ocr.ts";
import type { PictureRequest, Raster } from "./raster.ts";

export interface PageToEmbed {
  readonly words: string;
  readonly picture: Raster | undefined;
}

/** The kinds of input that a pack embeds. */
export type EmbeddingWork = "page" | "text" | "image";

/** A pack whose graphs are loaded. It belongs to one thread and serves one call at a time. */
export interface LoadedPack extends PackRanking {
  /** Undefined if the pack reads only words. */
  readonly picture: PictureRequest | undefined;
  /** Reads the words of pages without a usable text layer; if undefined, these pages have no words. */
  readonly ocr: PageOcr | undefined;
  /** Loads large graphs that only this work needs, so that loading does not count as a page's time. Throws `PackError`. */
  prepare(work: EmbeddingWork): Promise<void>;
  /** Throws `unprocessable` if a model fails on this page. */
  embedPage(page: PageToEmbed): Promise<readonly PageInSpace[]>;
  /** Throws `invalid` if the picture cannot be decoded. */
  embedQuery(query: SearchQuery): Promise<readonly QueryInSpace[]>;
  close(): Promise<void>;
}

/** One space of a loaded pack. It embeds pages and queries, or returns nothing if it has no answer. */
export interface OpenSpace {
  /** Loads everything that this work needs and that is not loaded yet. Throws `PackError`. */
  prepare?(work: EmbeddingWork): Promise<void>;
  page(page: PageToEmbed): Promise<PageInSpace[]>;
  query(query: SearchQuery): Promise<QueryInSpace[]>;
  close(): Promise<void>;
}
