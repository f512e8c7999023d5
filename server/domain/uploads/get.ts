import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { findUpload } from "./find.ts";
import type { UploadWithParts } from "./upload.ts";

/** Reads a session with its parts, so that a client can resume. Throws `not_found`. */
export async function getUpload(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { key: string } },
): Promise<UploadWithParts> {
  const upload = await findUpload(domain, caller, input.key);
  return { upload, parts: await domain.metadata.uploads.parts(upload.key) };
}
