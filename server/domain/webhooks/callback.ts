import type { Domain } from "../domain.ts";
import type { WorkspaceId } from "../ids.ts";
import { acceptUrl } from "./endpoints.ts";
import { callbackSecrets } from "./secrets.ts";

/**
 * The address that is told of the end of a job, as it is kept; null if there is none. Throws `invalid` for one that nothing may
 * be sent to.
 */
export async function acceptCallback(
  domain: Pick<Domain, "metadata" | "posts" | "sealing">,
  workspaceId: WorkspaceId,
  address: string,
): Promise<string | null> {
  if (address === "") return null;
  const url = acceptUrl(domain.posts, "callbackUrl", address);
  await callbackSecrets(domain, workspaceId);
  return url;
}
