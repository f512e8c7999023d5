import type { FoundItem, Item } from "../items/item.ts";

/** A page as a model and a program get it. It can be written as JSON. */
export interface ToolPage {
  readonly datasetId: string;
  /** The document's name. */
  readonly document: string;
  /** From 1. */
  readonly page: number;
  readonly pageCount: number;
  /** Relevance from 0 to 1; undefined: it was asked for by its number. */
  readonly score?: number;
  /** The page's text layer; undefined where it was not asked for or did not fit into the answer. */
  readonly text?: string;
  /** The page as a JPEG in a data URL; undefined likewise, and for a page that cannot be drawn. */
  readonly picture?: string;
  /** A link to the picture that works without a key until it expires, to be shown to people. */
  readonly url: string;
}

export interface ToolPages {
  readonly pages: readonly ToolPage[];
}

/** A piece of what a model reads. */
export type ModelPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "picture"; readonly mediaType: string; readonly base64: string };

export function toolPageOf(item: FoundItem | Item): ToolPage {
  const { datasetId, fileName, col, pageCount, text, picture, share } = item;
  return {
    datasetId,
    document: fileName,
    page: col,
    pageCount,
    ...("score" in item && { score: item.score }),
    ...(text !== undefined && { text }),
    ...(picture !== undefined && { picture }),
    url: share.url,
  };
}

/** The pages as a model reads them: of each a heading with its text, then its picture. */
export function modelParts({ pages }: ToolPages): ModelPart[] {
  if (pages.length === 0) return [{ kind: "text", text: "No page was found." }];
  return pages.flatMap((page): ModelPart[] => {
    const heading: ModelPart = { kind: "text", text: headed(page) };
    const [, mediaType, base64] = /^data:([^;,]+);base64,(.+)$/.exec(page.picture ?? "") ?? [];
    if (mediaType === undefined || base64 === undefined) return [heading];
    return [heading, { kind: "picture", mediaType, base64 }];
  });
}

function headed({ document, page, pageCount, datasetId, text = "" }: ToolPage): string {
  const heading = `${document}, page ${page} of ${pageCount} (datasetId ${datasetId})`;
  return text.trim() === "" ? heading : `${heading}\n\n${text}`;
}
