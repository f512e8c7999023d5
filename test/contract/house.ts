import { bodyOf, objectAt } from "./answers.ts";
import type { Scene } from "./scene.ts";

/** An organisation of a test's own. */
export interface House {
  readonly id: string;
  readonly workspaceId: string;
  /** With every scope. */
  readonly apiKey: string;
}

export async function buildHouse({ api }: Pick<Scene, "api">, name = "House"): Promise<House> {
  const created = objectAt(bodyOf(await api.call("createOrganisation", { name }, {})), "created");
  const { id } = objectAt(created, "organisation");
  return { id: String(id), workspaceId: String(created["workspaceId"]), apiKey: String(created["apiKey"]) };
}
