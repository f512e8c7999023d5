import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import type { Domain } from "../domain.ts";
import type { ListResult } from "../list.ts";
import type { UploadSummary } from "../ports/uploads.ts";
import { seenUploads } from "./find.ts";

/** Lists the open sessions that the caller sees, newest first. */
export async function listUploads(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { offset: number; limit: number | undefined } },
): Promise<ListResult<UploadSummary>> {
  const { metadata, clock } = domain;
  const { workspaceId } = caller;
  const { offset, limit = defaultLimit } = input;
  const now = clock();
  if (caller.filter === undefined) return metadata.uploads.list({ workspaceId, offset, limit, now });
  // Sessions have no index of their metadata: there are only as many as are started in a day and not ended.
  const seen: UploadSummary[] = [];
  for (let from = 0; ; from += atOnce) {
    const { data } = await metadata.uploads.list({ workspaceId, offset: from, limit: atOnce, now });
    const uploads = await seenUploads(
      domain,
      caller,
      data.map(({ upload }) => upload),
    );
    seen.push(...data.filter(({ upload }) => uploads.has(upload)));
    if (data.length < atOnce) break;
  }
  return { total: seen.length, data: seen.slice(offset, offset + limit) };
}

/** Sessions per query. */
const atOnce = 500;
