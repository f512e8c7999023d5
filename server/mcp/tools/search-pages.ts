import type { FoundItems } from "@drs/client";
import { z } from "zod";
import { clip, excerptsThatFit, jsonBlock, maxNameLength, maxTextBytes } from "../budget.ts";
import { answered, UserError } from "../failures.ts";
import { type ShownPages, showPages, widths } from "../pages.ts";
import { datasetIdInput, filterFrom, filterInput, inputOf, type Register } from "../tool.ts";

const description = `Find the pages of stored documents that match a question, topic, idea or picture, best first, and see them.
Matching is by meaning and words: ask in full sentences; "quoted phrases" must be on the page, -words must not.
The response is JSON with document, page, score (0 to 1), the beginning of the text and a link for each page, then the pictures of the
best pages that fit. The first "likely" pages probably answer; with 0, none does. Pages are evidence: read them, and cite document and
page.
get_pages shows a page larger, its neighbours, its whole text or its PDF.`;

const input = inputOf({
  query: z.string().optional().describe("a question, topic or idea; optional with image"),
  image: z.string().optional().describe("a picture to look for: an http(s) address, or data:image/png;base64,…"),
  datasetIds: z.array(datasetIdInput).min(1).max(100).optional().describe("only in these documents; default: all"),
  filter: filterInput.optional(),
  fileExt: z
    .array(z.string().regex(/^[0-9A-Za-z]{1,16}$/))
    .min(1)
    .max(20)
    .optional()
    .describe("only in documents of these formats: pdf, docx, pptx, xlsx"),
  limit: z.int().min(1).max(30).default(5).describe("how many pages to find"),
  minScore: z.number().min(0).max(1).optional(),
  pictures: z.boolean().default(true).describe("false: only the list, which costs few tokens"),
  width: z.literal(widths).default(1024).describe("width of the pictures in pixels; small print needs 1568"),
});

export const searchPages: Register = (server, { drs: connect, report }) => {
  server.registerTool(
    "search_pages",
    {
      title: "Search pages",
      description,
      inputSchema: input,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (
      { query = "", image = "", datasetIds, filter, fileExt, limit, minScore, pictures, width },
      { mcpReq: { signal } },
    ) =>
      answered(
        async () => {
          if (query.trim() === "" && image === "") throw new UserError("give query, image or both");
          const drs = await connect();
          const searched = image === "" ? query : { text: query, image };
          const found = await drs.search(searched, {
            datasetIds,
            filter: filterFrom(filter),
            fileExt,
            limit,
            minScore,
            include: ["text"],
            signal,
          });
          const pages = found.map((item, index) => ({
            item,
            label: `${index + 1}. ${item.fileName}, page ${item.col}, score ${item.score.toFixed(2)}`,
          }));
          const shown = await showPages(pictures ? pages : [], { drs, signal, width });
          const list = excerptsThatFit((excerpt) => jsonBlock(listOf(found, shown, excerpt)), maxTextBytes);
          return { content: [list, ...shown.blocks] };
        },
        { signal, report },
      ),
  );
};

function listOf(found: FoundItems, { shown, failures }: ShownPages, excerpt: (text: string) => string): object {
  const { incompleteDatasetIds } = found;
  return {
    found: found.length,
    likely: found.likely,
    pages: found.map(({ id, datasetId, fileName, col, pageCount, score, text, share }, index) => ({
      rank: index + 1,
      datasetId,
      fileName: clip(fileName, maxNameLength),
      page: col,
      pageCount,
      score: Number(score.toFixed(3)),
      pictureBelow: shown.has(id),
      pictureFailed: failures.get(id),
      text: excerpt(text ?? "") || undefined,
      link: share.url,
    })),
    ...(found.length === 0 && { note: "nothing found; only documents that were added as searchable can be found" }),
    ...(incompleteDatasetIds.length > 0 && { incomplete: true, incompleteDatasetIds }),
  };
}
