import type { JsonObject } from "@bufbuild/protobuf";
import { createDrs } from "@drs/client";
import { openMetadataOf } from "../../service/metadata.ts";
import { actOfService } from "../../../server/domain/audit/event.ts";
import { keyScopes, type KeyScope } from "../../../server/domain/caller.ts";
import { newOrganisationId, newWorkspaceId, type OrganisationId } from "../../../server/domain/ids.ts";
import { type MemberRole, roleScopes } from "../../../server/domain/members/member.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import { newKey } from "../../../server/domain/workspaces/keys.ts";
import { bodyOf, listAt, objectAt } from "../../contract/answers.ts";
import { restApi } from "../../contract/rest-api.ts";
import { makePdf } from "../../fixtures/pdf.ts";
import { startServer, type TestServer } from "../../service/start.ts";
import type { Ids } from "./ids.ts";

/** A workspace with one of everything in it. */
export interface Tenant extends Ids {
  readonly name: string;
  readonly organisationId: OrganisationId;
  /** With every scope. */
  readonly key: string;
  readonly keys: Readonly<Record<KeyScope, string>>;
  readonly revokedKey: string;
  readonly expiredKey: string;
  /** Personal tokens of members, one of each role. */
  readonly personalTokens: Readonly<Record<MemberRole, string>>;
  /** Tokens of a member who was removed, and of one who signed out. */
  readonly removedToken: string;
  readonly signedOutToken: string;
  /** Tokens that open `dataset` and `item`. */
  readonly datasetToken: string;
  readonly itemToken: string;
  /** All datasets: `dataset`, and one with the same content as one of every other tenant. */
  readonly datasets: readonly string[];
  readonly jobs: readonly string[];
  /** Texts that only this tenant may ever be shown. */
  readonly secrets: readonly string[];
}

/** Two workspaces of one organisation, one of another, and one more to try allowed calls in. */
export interface Town {
  readonly server: TestServer;
  readonly own: Tenant;
  readonly sibling: Tenant;
  readonly stranger: Tenant;
  readonly playground: Tenant;
  /** SHA-256 of the content that every tenant has. */
  readonly sharedSha256: string;
  close(): Promise<void>;
}

const shared = makePdf({ pages: [{ text: "A circular letter that everybody was sent." }] });

export async function buildTown(): Promise<Town> {
  const server = await startServer({ maxUploadBytes: "1MB", maxDocumentBytes: "12MB" });
  // Organisations are made by the operator: a tenant has no call for it.
  const metadata = await openMetadataOf(server.dataDir);
  try {
    const together = newOrganisationId();
    const settle = (name: string, organisationId: OrganisationId): Promise<Tenant> =>
      createTenant(server.url, metadata, { name, organisationId });
    const own = await settle("alpha", together);
    return {
      server,
      own,
      sibling: await settle("bravo", together),
      stranger: await settle("carlo", newOrganisationId()),
      playground: await settle("delta", newOrganisationId()),
      sharedSha256: await sha256Of(server.url, own),
      close: () => server.remove(),
    };
  } finally {
    await metadata.close();
  }
}

async function createTenant(
  url: string,
  metadata: Metadata,
  { name, organisationId }: { name: string; organisationId: OrganisationId },
): Promise<Tenant> {
  const workspaceId = newWorkspaceId();
  const now = Date.now();
  const event = () => actOfService(organisationId, { action: "workspace.create", target: workspaceId }, now);
  const workspace = { id: workspaceId, organisationId, name: `${name}-workspace`, createdAt: now };
  const make = (scopes: readonly KeyScope[], label: string, expiresAt: number | null = null) => {
    const grant = { organisationId, workspaceId, name: `${name} ${label}`, scopes };
    return newKey({ ...grant, expiresAt, requestsPerMinute: null }, now);
  };
  const issue = async (scopes: readonly KeyScope[], label: string, expiresAt: number | null = null) => {
    const key = make(scopes, label, expiresAt);
    await metadata.keys.create(key, event());
    return key;
  };
  if ((await metadata.workspaces.oldest(organisationId)) === undefined) {
    const fields = { name: `organisation of ${name}`, plan: "unlimited", isOperator: false, createdAt: now };
    const founding = { organisation: { id: organisationId, ...fields }, workspace, key: make(keyScopes, "first") };
    await metadata.organisations.create(founding, [event()]);
  } else {
    await metadata.workspaces.create(workspace, event());
  }
  const full = await issue(keyScopes, "full");
  const expired = await issue(keyScopes, "expired", now - 1);
  const revoked = await issue(keyScopes, "revoked");
  await metadata.keys.revoke(organisationId, revoked.id, now, event());

  const drs = createDrs({ server: url, apiKey: full.key });
  const words = `The ${name} harbour keeps ${name}ese lanterns`;
  const job = await drs.datasets.upload(makePdf({ pages: [{ text: words }, { text: `${words} and ropes` }] }), {
    fileName: `${name}-plans.pdf`,
    vectorize: true,
  });
  const copy = await drs.datasets.upload(shared, { fileName: `${name}-letter.pdf`, vectorize: true });
  for (const { id } of [job, copy]) {
    const { status, statusText } = await drs.jobs.wait(id);
    if (status !== "SUCCESS") throw new Error(`a document of ${name} was not processed: ${statusText}`);
  }

  const api = restApi(url, full.key);
  const ask = async (...call: Parameters<typeof api.call>): Promise<JsonObject> => bodyOf(await api.call(...call));
  const dataset = objectAt(await ask("getDataset", { id: job.datasetId }), "dataset");
  const [item = {}] = listAt(await ask("listItems", { datasetId: job.datasetId, row: "jpg", cols: ["1"] }), "data");
  const parts = { fileName: `${name}-parts.pdf`, fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
  const upload = String(objectAt(await ask("startUpload", parts), "upload")["key"]);

  const invite = async (role: MemberRole, label: string): Promise<Record<string, unknown>> =>
    post(url, "/v1/admin/invitations", full.key, { name: `${name} ${label}`, role });
  const join = async (role: MemberRole, label: string): Promise<{ role: MemberRole; token: string; id: string }> => {
    const { token } = await invite(role, label);
    const session = await post(url, "/v1/invitations/accept", full.key, { token });
    return { role, token: String(session["token"]), id: String(Object(session["member"])["id"]) };
  };
  const members = await Promise.all(memberRoles.map((role) => join(role, role)));
  const removed = await join("admin", "removed");
  await drs.members.remove(removed.id);
  const signedOut = await join("admin", "signed out");
  await createDrs({ server: url, apiKey: signedOut.token }).signOut();
  const invitation = String((await invite("viewer", "guest"))["id"]);
  const begun = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-drs-console": "1" },
    body: JSON.stringify({ credential: full.key }),
  });
  const { data: session } = (await begun.json()) as { data: { id: string } };
  const memberIds = [...members, removed, signedOut].map(({ id }) => id);

  // Nothing there answers: what is sent to it is refused before any connection.
  const webhook = await drs.webhooks.create({ url: `https://${name}.localhost.example:8443/`, description: name });
  const { messageId } = await drs.webhooks.test(webhook.id);

  const keys = Object.fromEntries(
    await Promise.all(keyScopes.map(async (scope) => [scope, (await issue([scope], scope)).key] as const)),
  ) as Record<KeyScope, string>;
  return {
    name,
    organisationId,
    workspace: workspaceId,
    organisation: organisationId,
    member: memberIds[0] ?? "",
    invitation,
    session: session.id,
    webhook: webhook.id,
    message: messageId,
    personalTokens: Object.fromEntries(members.map(({ role, token }) => [role, token])) as Record<MemberRole, string>,
    removedToken: removed.token,
    signedOutToken: signedOut.token,
    dataset: job.datasetId,
    job: job.id,
    upload,
    item: String(item["id"]),
    keyId: full.id,
    key: full.key,
    keys,
    revokedKey: revoked.key,
    expiredKey: expired.key,
    datasetToken: tokenOf(dataset),
    itemToken: tokenOf(item),
    datasets: [job.datasetId, copy.datasetId],
    jobs: [job.id, copy.id],
    // Everything of its own is named after it.
    secrets: [
      name,
      workspaceId,
      job.datasetId,
      copy.datasetId,
      job.id,
      copy.id,
      upload,
      full.id,
      invitation,
      webhook.id,
      webhook.secret,
      messageId,
      ...memberIds,
    ],
  };
}

const memberRoles = Object.keys(roleScopes) as readonly MemberRole[];

/** The `data` of an answer to a call that has no place in the contract's cases. */
async function post(url: string, path: string, key: string, body: object): Promise<Record<string, unknown>> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return Object(JSON.parse(text))["data"];
}

const tokenOf = (resource: JsonObject): string => String(objectAt(resource, "share")["token"]);

async function sha256Of(url: string, { key, datasets }: Tenant): Promise<string> {
  const outcome = await restApi(url, key).call("getDataset", { id: datasets[1] ?? "" });
  return String(objectAt(bodyOf(outcome), "dataset")["sha256"]);
}
