import type { Caller } from "../caller.ts";
import { publicId } from "../datasets/dataset.ts";
import { defaultLimit } from "../datasets/read.ts";
import { requireWritable, sees } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { conflict, notFound } from "../errors.ts";
import { parseUploadKey } from "../ids.ts";
import type { ListResult } from "../list.ts";
import type { UploadSummary } from "../ports/uploads.ts";
import type { Upload, UploadWithParts } from "./upload.ts";

/** Finds the caller's session. Throws `not_found` if it is unknown, aborted, expired, or of another workspace. */
export async function findUpload(domain: Domain, caller: Caller, key: string): Promise<Upload> {
  const uploadKey = parseUploadKey(key);
  const upload = uploadKey && (await domain.metadata.uploads.get(caller.workspaceId, uploadKey, domain.clock()));
  if (upload === undefined || !(await seenUploads(domain, caller, [upload])).has(upload)) {
    throw notFound(`there is no upload session ${JSON.stringify(key)} in this workspace; start a new one`, {
      reason: "UPLOAD_SESSION_NOT_FOUND",
    });
  }
  return upload;
}

/**
 * Filters the sessions that the caller sees. A session of a new version is seen with its dataset in its present
 * state, because the metadata may have changed since the session began.
 */
async function seenUploads(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  sessions: readonly Upload[],
): Promise<ReadonlySet<Upload>> {
  if (caller.filter === undefined) return new Set(sessions);
  const ids = sessions.flatMap(({ versionOf }) => versionOf ?? []);
  const replaced = await metadata.datasets.getMany(caller.workspaceId, ids, clock());
  const byId = new Map(replaced.map((dataset) => [publicId(dataset), dataset]));
  const isSeen = (session: Upload): boolean => {
    const about = session.versionOf === null ? session : byId.get(session.versionOf);
    return about !== undefined && sees(caller, about);
  };
  return new Set(sessions.filter(isSeen));
}

/**
 * Finds the caller's session, to be changed. Throws `not_found`, and `forbidden` if the caller may only read its
 * dataset. For a new version, the dataset's metadata decides, which may change meanwhile: `changeable` is checked
 * again with the change.
 */
export async function findChangeableUpload(domain: Domain, caller: Caller, key: string): Promise<Upload> {
  const upload = await findUpload(domain, caller, key);
  if (upload.versionOf === null) requireWritable(caller, upload.metadata);
  return upload;
}

/** Finds a session that has not ended. Throws `conflict` as well if it has become a dataset. */
export async function findOpenUpload(domain: Domain, caller: Caller, key: string): Promise<Upload> {
  const upload = await findChangeableUpload(domain, caller, key);
  if (upload.ended !== null) {
    throw conflict(
      `upload session ${upload.key} has ended and its document is job ${upload.ended.jobId}; start a new session`,
      { reason: "UPLOAD_SESSION_ENDED" },
    );
  }
  return upload;
}

/** Reads a session with its parts, so that a client can resume. Throws `not_found`. */
export async function getUpload(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { key: string } },
): Promise<UploadWithParts> {
  const upload = await findUpload(domain, caller, input.key);
  return { upload, parts: await domain.metadata.uploads.parts(upload.key) };
}

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
