import type { Domain } from "../domain.ts";
import type { WorkspaceId } from "../ids.ts";
import { acceptUrl } from "./endpoints.ts";
import { callbackSecrets } from "./secrets.ts";

/**
 * Checks the URL that is notified when a job ends, and returns its stored form; null if there is none. Throws
 * `invalid` for a URL that nothing may be sent to.
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
