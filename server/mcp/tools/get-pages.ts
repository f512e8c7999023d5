import type { ContentBlock } from "@modelcontextprotocol/server";
import type { Item } from "@drs/client";
import { z } from "zod";
import { bytesOf, clip, jsonBlock, maxNameLength, maxPagesShown, maxTextBytes, textBlock } from "../budget.ts";
import { answered, UserError } from "../failures.ts";
import { type ShownPages, showPages, widths } from "../pages.ts";
import { datasetIdInput, inputOf, type Register } from "../tool.ts";

const description = `See pages of one document by number: as pictures, as the text of their text layer, or each as a separate PDF.
As many pages as fit into one response are inline, first pages first; all have links, which expire.
Ask for the rest, or for a larger width, with another call. Scans have no text: look at the picture.`;

const pagesForm = "page numbers from 1: 3, or 5:10 with both ends, or 2,7:9, or 5: to the end";

const input = inputOf({
  datasetId: datasetIdInput.describe("the document"),
  pages: z
    .union([
      // Many models pass a single page as a number.
      z.int().min(1),
      z
        .string()
        .max(500)
        .regex(/^[\d\s:,]+$/, pagesForm),
    ])
    .default("1")
    .describe(pagesForm),
  as: z.enum(["picture", "text", "pdf"]).default("picture"),
  width: z.literal(widths).default(1568).describe("width of pictures in pixels"),
});

export const getPages: Register = (server, { drs: connect, report }) => {
  server.registerTool(
    "get_pages",
    {
      title: "Get pages",
      description,
      inputSchema: input,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ datasetId, pages: cols, as, width }, { mcpReq: { signal } }) =>
      answered(
        async () => {
          const drs = await connect();
          const row = as === "pdf" ? "pdf" : "jpg";
          const include = as === "text" ? (["text"] as const) : [];
          const page = { row, cols, sort: ["col"], limit: maxPagesShown, include } as const;
          const { data, total } = await drs.items.page(datasetId, page, { signal });
          const [first] = data;
          if (first === undefined) {
            const { fileName, itemCount } = await drs.datasets.get(datasetId, { signal });
            throw new UserError(
              `${fileName} has ${itemCount} pages, and ${clip(String(cols), 100)} is not among them; while its job runs, pages appear one by one`,
            );
          }
          const shown =
            as === "text"
              ? showTexts(data)
              : await showPages(
                  data.map((item) => ({ item, label: labelOf(item) })),
                  { drs, signal, ...(as === "picture" && { width }) },
                );
          return { content: [jsonBlock(listOf(data, total, shown)), ...shown.blocks] };
        },
        { signal, report },
      ),
  );
};

const labelOf = ({ fileName, col, pageCount }: Item): string =>
  `${clip(fileName, maxNameLength)}, page ${col} of ${pageCount}`;

/** The texts of the first pages that fit; if the very first one does not fit, its beginning. */
function showTexts(items: readonly Item[]): ShownPages {
  const blocks: ContentBlock[] = [];
  const shown = new Set<string>();
  let left = maxTextBytes;
  for (const item of items) {
    if (item.text === undefined) break;
    const words = item.text === "" ? "(this page has no text layer: look at its picture)" : item.text;
    const lengths = shown.size === 0 ? [words.length, 20_000, 10_000] : [words.length];
    const block = lengths
      .map((length) => textBlock(`${labelOf(item)}\n\n${clip(words, length)}`))
      .find((one) => bytesOf(one) <= left);
    if (block === undefined) break;
    left -= bytesOf(block);
    blocks.push(block);
    shown.add(item.id);
  }
  return { blocks, shown, failures: new Map() };
}

function listOf(items: readonly Item[], total: number, { shown, failures }: ShownPages): object {
  const next = items.find(({ id }) => !shown.has(id) && !failures.has(id))?.col;
  const note =
    next !== undefined
      ? `page ${next} and later pages did not fit: request them with another call`
      : total > items.length
        ? `${total} pages match: request those after page ${items.at(-1)?.col} with another call`
        : undefined;
  return {
    datasetId: items[0]?.datasetId,
    fileName: clip(items[0]?.fileName ?? "", maxNameLength),
    pageCount: items[0]?.pageCount,
    pages: items.map(({ id, col, share }) => ({
      page: col,
      inline: shown.has(id),
      failed: failures.get(id),
      link: share.url,
    })),
    note,
  };
}
