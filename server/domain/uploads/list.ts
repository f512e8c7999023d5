import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import type { Domain } from "../domain.ts";
import type { ListResult } from "../ports/list.ts";
import type { UploadSummary } from "../ports/uploads.ts";

/** The open sessions of the caller's workspace, newest first. */
export function listUploads(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { offset: number; limit: number | undefined } },
): Promise<ListResult<UploadSummary>> {
  return metadata.uploads.list({
    workspaceId: caller.workspaceId,
    offset: input.offset,
    limit: input.limit ?? defaultLimit,
    now: clock(),
  });
}
