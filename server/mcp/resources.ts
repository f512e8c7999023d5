import { ProtocolError, ProtocolErrorCode, ResourceTemplate } from "@modelcontextprotocol/server";
import { type Drs, DrsError } from "@drs/client";
import { clip, encodedBytes, maxResultBytes } from "./budget.ts";
import { Refused } from "./failures.ts";
import { pictureUrl } from "./pages.ts";
import type { Register } from "./tool.ts";

/** Documents and their pages by URI, for clients that attach them to a conversation. */
export const resources: Register = (server, { drs: connect, report }) => {
  const read = async <Result>(uri: URL, work: (drs: Drs) => Promise<Result>): Promise<Result> => {
    try {
      return await work(await connect());
    } catch (cause) {
      throw asProtocolError(cause, uri, report);
    }
  };
  server.registerResource(
    "document",
    new ResourceTemplate("drs://datasets/{datasetId}", { list: undefined }),
    { title: "Document", description: "What is known about a document, as JSON", mimeType: "application/json" },
    async (uri, { datasetId }, { mcpReq: { signal } }) =>
      read(uri, async (drs) => {
        const { share: _, ...dataset } = await drs.datasets.get(one(datasetId), { signal });
        return {
          contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(dataset, undefined, 1) }],
        };
      }),
  );
  server.registerResource(
    "page",
    new ResourceTemplate("drs://datasets/{datasetId}/pages/{page}", { list: undefined }),
    { title: "Page", description: "The picture of a page, pages count from 1", mimeType: "image/jpeg" },
    async (uri, { datasetId, page }, { mcpReq: { signal } }) =>
      read(uri, async (drs) => {
        const cols = one(page);
        if (!/^[1-9]\d{0,8}$/.test(cols)) throw new Refused("a page is named by its number, from 1");
        const { data } = await drs.items.page(one(datasetId), { row: "jpg", cols, limit: 1 }, { signal });
        const [item] = data;
        if (item === undefined) throw new Refused(`the document has no page ${cols}`);
        const { bytes, contentType } = await drs.download(pictureUrl(item.share.url, pageWidth), { signal });
        const picture = Buffer.from(await bytes());
        if (encodedBytes(picture.length) > maxResultBytes) throw new Refused("the picture is larger than 1 MB");
        return { contents: [{ uri: uri.href, mimeType: contentType, blob: picture.toString("base64") }] };
      }),
  );
};

/** The largest width that models read without scaling it down. */
const pageWidth = 1568;

function one(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

function asProtocolError(cause: unknown, uri: URL, report: (cause: unknown) => void): Error {
  if (cause instanceof Refused || cause instanceof DrsError) {
    return new ProtocolError(ProtocolErrorCode.InvalidParams, clip(cause.message), { uri: clip(uri.href, 300) });
  }
  report(cause);
  return new ProtocolError(ProtocolErrorCode.InternalError, "internal error; the log of drs says more");
}
