import type { MessageInitShape } from "@bufbuild/protobuf";
import { jsonOf } from "../datasets/metadata.ts";
import type { SearchRequestSchema } from "../gen/drs/v1/search_pb.ts";
import { includes, itemRows } from "../items/item.ts";
import { valueOf } from "../wire-names.ts";
import type { SearchOptions, SearchQuery } from "./options.ts";

/** Creates the message for a search. */
export async function searchRequest(
  query: SearchQuery,
  options: Omit<SearchOptions, "signal">,
): Promise<MessageInitShape<typeof SearchRequestSchema>> {
  const { datasetIds = [], fileExt = [], filter, row, include = [], ...others } = options;
  const { text = "", image = "" } = typeof query === "string" ? { text: query } : query;
  return {
    query: { text, imageUrl: typeof image === "string" ? image : await dataUrl(image) },
    datasetIds: [...datasetIds],
    fileExt: [...fileExt],
    ...(filter && { filter: jsonOf(filter) }),
    row: row === undefined ? undefined : valueOf(itemRows, row),
    include: include.map((word) => valueOf(includes, word)),
    limit: others.limit,
    expiresInSeconds: others.expiresInSeconds,
    pictureWidth: others.pictureWidth,
    minScore: others.minScore,
    neighbours: others.neighbours,
    explain: others.explain,
  };
}

/** Bytes per step: `fromCharCode` takes its characters as arguments, whose number is limited. A multiple of 3. */
const stepBytes = 3 * 8192;

async function dataUrl(picture: Blob): Promise<string> {
  const bytes = new Uint8Array(await picture.arrayBuffer());
  let base64 = "";
  for (let at = 0; at < bytes.length; at += stepBytes) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(at, at + stepBytes)));
  }
  return `data:${picture.type || "application/octet-stream"};base64,${base64}`;
}
