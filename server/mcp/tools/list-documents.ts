import type { Dataset } from "@drs/client";
import { z } from "zod";
import { clip, firstThatFit, jsonBlock, maxNameLength } from "../budget.ts";
import { answered, UserError } from "../failures.ts";
import { filterFrom, filterInput, inputOf, type Register } from "../tool.ts";

const description = `List the stored documents, newest first: ids for the other tools, names, page counts.
To find something in them, use search_pages. nextCursor, if present, continues the list.`;

const input = inputOf({
  filter: filterInput.optional(),
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().max(100).optional().describe("nextCursor of the previous response"),
  sort: z
    .enum(["-createdAt", "createdAt", "fileName", "-fileName", "itemCount", "-itemCount", "fileSize", "-fileSize"])
    .default("-createdAt")
    .describe("leading -: descending"),
});

const output = z.object({
  total: z.int(),
  documents: z.array(
    z.object({
      datasetId: z.string(),
      fileName: z.string(),
      pageCount: z.int().describe("0 until the document has been opened"),
      mimeType: z.string(),
      fileSize: z.int().describe("bytes"),
      createdAt: z.string(),
      expiresAt: z.string().nullable(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  nextCursor: z.string().optional(),
});

export const listDocuments: Register = (server, { drs: connect, report }) => {
  server.registerTool(
    "list_documents",
    {
      title: "List documents",
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ filter, limit, cursor, sort }, { mcpReq: { signal } }) =>
      answered(
        async () => {
          const offset = cursor === undefined ? 0 : readCursor(cursor);
          const drs = await connect();
          const { data, total } = await drs.datasets.page(
            { filter: filterFrom(filter), offset, limit, sort: [sort] },
            { signal },
          );
          const resultOf = (documents: readonly z.infer<typeof output>["documents"][number][]) => {
            const next = offset + documents.length;
            const listed = {
              total,
              documents: [...documents],
              ...(next < total && documents.length > 0 && { nextCursor: writeCursor(next) }),
            };
            // Clients without support for structured results read the text.
            return { content: [jsonBlock(listed)], structuredContent: listed };
          };
          return resultOf(firstThatFit(data.map(documentOf), resultOf));
        },
        { signal, report },
      ),
  );
};

function documentOf({ id, fileName, itemCount, mimeType, fileSize, createdAt, expiresAt, metadata }: Dataset) {
  return {
    datasetId: id,
    fileName: clip(fileName, maxNameLength),
    pageCount: itemCount,
    mimeType,
    fileSize,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    ...(Object.keys(metadata).length > 0 && { metadata: { ...metadata } }),
  };
}

/** Encodes an offset, where a list continues, as an opaque cursor. */
export function writeCursor(offset: number): string {
  return Buffer.from(`o${offset}`).toString("base64url");
}

/** Throws `UserError` if the text is not a cursor. */
export function readCursor(cursor: string): number {
  const offset = /^o(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.[1];
  if (offset === undefined)
    throw new UserError("the cursor is not valid; pass nextCursor of a previous response, or omit it");
  return Number(offset);
}
