import type { FoundItem, Item } from "../items/item.ts";

/** A page that a tool returns. It can be serialized as JSON. */
export interface ToolPage {
  readonly datasetId: string;
  /** Name of the document. */
  readonly document: string;
  /** Page number, from 1. */
  readonly page: number;
  readonly pageCount: number;
  /** Relevance from 0 to 1; undefined if the page was requested by its number. */
  readonly score?: number;
  /** Text layer of the page; undefined if it was not requested or did not fit into the response. */
  readonly text?: string;
  /** The page as a JPEG in a data URL; undefined if it was not requested, did not fit, or cannot be rendered. */
  readonly picture?: string;
  /** A link to the picture, for people; it works without a key until it expires. */
  readonly url: string;
}

export interface ToolPages {
  readonly pages: readonly ToolPage[];
}

/** A part of a message to a model. */
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

/** Returns the pages as message parts: for each page a heading with its text, then its picture. */
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
