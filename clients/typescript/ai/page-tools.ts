import type { Drs } from "../drs.ts";
import type { Include, PictureWidth } from "../items/item.ts";
import {
  getPagesInput,
  type GetPagesInput,
  type InputSchema,
  searchPagesInput,
  type SearchPagesInput,
} from "./inputs.ts";
import { toolPageOf, type ToolPages } from "./found-pages.ts";

export interface PageToolOptions {
  /** Only pages of these datasets, whatever the model asks for; default: all datasets of the workspace. */
  readonly datasetIds?: readonly string[] | undefined;
  /** Number of pages of a search if the model does not say, 1 to 20; default 5. */
  readonly limit?: number | undefined;
  /** Leaves out pages with a lower score, 0 to 1. */
  readonly minScore?: number | undefined;
  /** Whether the model gets the pages' pictures; default true. Without them it reads only the text layer. */
  readonly pictures?: boolean | undefined;
  /** Whether the model gets the pages' text layers; default true. */
  readonly texts?: boolean | undefined;
  /** Width of the pictures in pixels; default 1024. */
  readonly pictureWidth?: PictureWidth | undefined;
}

/** A tool that works without any framework. */
export interface PageTool<Input> {
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  readonly input: InputSchema<Input>;
  /**
   * Runs the tool. Rejects with a `DrsError`, a `TypeError` for datasets that are not allowed, or the signal's reason.
   */
  run(input: Input, options?: { readonly signal?: AbortSignal | undefined }): Promise<ToolPages>;
}

export interface PageTools {
  readonly searchPages: PageTool<SearchPagesInput>;
  readonly getPages: PageTool<GetPagesInput>;
}

/** Maximum number of pages in a response: models do not read more pages carefully. */
export const maxPages = 20;

/** Creates tools that find pages by a question, and get pages by their numbers. */
export function createPageTools(drs: Drs, options: PageToolOptions = {}): PageTools {
  const { datasetIds, limit = 5, minScore, pictures = true, texts = true, pictureWidth } = options;
  const include: Include[] = [...(texts ? (["text"] as const) : []), ...(pictures ? (["picture"] as const) : [])];
  const shown = { include, ...(pictures && pictureWidth !== undefined && { pictureWidth }) };
  const gives = [...(pictures ? ["its picture"] : []), ...(texts ? ["its text"] : [])].join(" and ") || "its number";
  const allowed = (asked: readonly string[] | undefined): readonly string[] | undefined => {
    const strange = asked?.find((id) => datasetIds?.includes(id) === false);
    if (strange !== undefined) throw new TypeError(`${strange} is not one of the datasets that may be read`);
    return asked === undefined || asked.length === 0 ? datasetIds : asked;
  };
  return {
    searchPages: {
      name: "search_pages",
      description: `Finds pages of the stored documents by meaning. Of each it gives document, page number and ${gives}.`,
      input: searchPagesInput,
      async run({ query, limit: asked = limit, datasetIds: wanted }, { signal } = {}) {
        const found = await drs.search(query, {
          ...shown,
          row: "jpg",
          datasetIds: allowed(wanted),
          limit: Math.min(asked, maxPages),
          minScore,
          signal,
        });
        return { pages: found.map(toolPageOf) };
      },
    },
    getPages: {
      name: "get_pages",
      description: `Gets pages of one document by their numbers, for example those beside a found page. Of each it gives ${gives}.`,
      input: getPagesInput,
      async run({ datasetId, pages }, { signal } = {}) {
        allowed([datasetId]);
        const query = { ...shown, row: "jpg", cols: pages, sort: ["col"], limit: maxPages } as const;
        const { data } = await drs.items.page(datasetId, query, { signal });
        return { pages: data.map(toolPageOf) };
      },
    },
  };
}
