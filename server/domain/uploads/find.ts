import type { Caller } from "../caller.ts";
import { sees } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { conflict, notFound } from "../errors.ts";
import { parseUploadKey } from "../ids.ts";
import type { Upload } from "./upload.ts";

/** The caller's session. Throws `not_found`, for another workspace's like for an unknown, aborted or expired one. */
export async function findUpload({ metadata, clock }: Domain, caller: Caller, key: string): Promise<Upload> {
  const uploadKey = parseUploadKey(key);
  const upload = uploadKey && (await metadata.uploads.get(caller.workspaceId, uploadKey, clock()));
  if (upload === undefined || !sees(caller, upload)) {
    throw notFound(`there is no upload session ${JSON.stringify(key)} in this workspace; start a new one`);
  }
  return upload;
}

/** The caller's session if nothing has ended it. Throws `not_found` as well as `conflict` if it has become a dataset. */
export async function findOpenUpload(domain: Domain, caller: Caller, key: string): Promise<Upload> {
  const upload = await findUpload(domain, caller, key);
  if (upload.ended !== null) {
    throw conflict(
      `upload session ${upload.key} has ended and its document is job ${upload.ended.jobId}; start a new session`,
    );
  }
  return upload;
}
