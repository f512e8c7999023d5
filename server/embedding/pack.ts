import type { PageInSpace } from "../domain/ports/features.ts";
import type { QueryInSpace, SearchQuery } from "../domain/ports/worker.ts";
import type { PackRanking } from "../domain/ports/pack-ranking.ts";
import type { PageOcr } from "./ocr/page-ocr.ts";
import type { PictureRequest, Raster } from "./raster.ts";

export interface PageToEmbed {
  readonly words: string;
  readonly picture: Raster | undefined;
}

/** What a pack may be asked to do next. */
export type EmbeddingWork = "page" | "text" | "image";

/** A pack whose graphs are loaded: belongs to one thread, and serves one call at a time. */
export interface LoadedPack extends PackRanking {
  /** Undefined: the pack reads only words. */
  readonly picture: PictureRequest | undefined;
  /** Reads the words of pages without a usable text layer. Undefined: these pages have no words. */
  readonly ocr: PageOcr | undefined;
  /** Loads large graphs that only such work needs, so that no page's time goes into that. Throws `PackError`. */
  prepare(work: EmbeddingWork): Promise<void>;
  /** Throws `unprocessable` if a model fails on this page. */
  embedPage(page: PageToEmbed): Promise<readonly PageInSpace[]>;
  /** Throws `invalid` if the picture cannot be decoded. */
  embedQuery(query: SearchQuery): Promise<readonly QueryInSpace[]>;
  close(): Promise<void>;
}

/** One space of a loaded pack: what pages and queries become in it, or nothing where it has no answer. */
export interface OpenSpace {
  /** Loads what such work needs and has not been loaded before. Throws `PackError`. */
  prepare?(work: EmbeddingWork): Promise<void>;
  page(page: PageToEmbed): Promise<PageInSpace[]>;
  query(query: SearchQuery): Promise<QueryInSpace[]>;
  close(): Promise<void>;
}
