import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { Api, MethodName, Outcome, Refusal } from "./api.ts";

interface Endpoint {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** The field of the message that the envelope has as `data`; undefined if the answer is the message itself. */
  readonly data?: string;
  /** The answer has `success: true`. */
  readonly envelope?: boolean;
}

/** The endpoints as the contract names them, written down by hand so that they do not follow the protos' mistakes. */
const endpoints: Readonly<Record<MethodName, Endpoint>> = {
  vectorizeDataset: { verb: "POST", path: "/v1/datasets/{id}/vectorize", data: "job", envelope: true },
  listDatasets: { verb: "GET", path: "/v1/datasets", envelope: true },
  getDataset: { verb: "GET", path: "/v1/datasets/{id}", data: "dataset", envelope: true },
  updateDataset: { verb: "PATCH", path: "/v1/datasets/{id}", data: "dataset", envelope: true },
  deleteDataset: { verb: "DELETE", path: "/v1/datasets/{id}", data: "deleted", envelope: true },
  deleteDatasets: { verb: "POST", path: "/v1/datasets/delete", data: "deletion", envelope: true },
  listItems: { verb: "GET", path: "/v1/datasets/{datasetId}/items" },
  listJobs: { verb: "GET", path: "/v1/jobs" },
  getJob: { verb: "GET", path: "/v1/jobs/{id}", data: "job", envelope: true },
  cancelJob: { verb: "POST", path: "/v1/jobs/{id}/cancel", data: "job", envelope: true },
  retryJob: { verb: "POST", path: "/v1/jobs/{id}/retry", data: "job", envelope: true },
  search: { verb: "POST", path: "/v1/search", envelope: true },
  searchMany: { verb: "POST", path: "/v1/search/many", envelope: true },
  getItems: { verb: "POST", path: "/v1/items", envelope: true },
  startUpload: { verb: "POST", path: "/v1/upload-session/start", data: "upload", envelope: true },
  getUpload: { verb: "GET", path: "/v1/upload-session/{key}", data: "upload", envelope: true },
  listUploads: { verb: "GET", path: "/v1/upload-session", envelope: true },
  endUpload: { verb: "POST", path: "/v1/upload-session/end", data: "job", envelope: true },
  abortUpload: { verb: "POST", path: "/v1/upload-session/abort", envelope: true },
  listMembers: { verb: "GET", path: "/v1/admin/members", envelope: true },
  inviteMember: { verb: "POST", path: "/v1/admin/invitations", data: "invitation", envelope: true },
  listInvitations: { verb: "GET", path: "/v1/admin/invitations", envelope: true },
  revokeInvitation: { verb: "DELETE", path: "/v1/admin/invitations/{id}", envelope: true },
  showInvitation: { verb: "POST", path: "/v1/invitations/show", data: "offer", envelope: true },
  acceptInvitation: { verb: "POST", path: "/v1/invitations/accept", data: "session", envelope: true },
  updateMember: { verb: "PATCH", path: "/v1/admin/members/{id}", data: "member", envelope: true },
  removeMember: { verb: "DELETE", path: "/v1/admin/members/{id}", envelope: true },
  whoAmI: { verb: "GET", path: "/v1/me", data: "identity", envelope: true },
  signOut: { verb: "POST", path: "/v1/me/sign-out", envelope: true },
  signIn: { verb: "POST", path: "/v1/sessions", data: "session", envelope: true },
  getSignInWays: { verb: "GET", path: "/v1/sessions/ways", data: "ways", envelope: true },
  listTokens: { verb: "GET", path: "/v1/me/tokens", envelope: true },
  endToken: { verb: "DELETE", path: "/v1/me/tokens/{id}", envelope: true },
  listIdentities: { verb: "GET", path: "/v1/me/identities", envelope: true },
  linkIdentity: { verb: "POST", path: "/v1/me/identities", data: "link", envelope: true },
  unlinkIdentities: { verb: "DELETE", path: "/v1/me/identities", envelope: true },
  listSessions: { verb: "GET", path: "/v1/sessions", envelope: true },
  endSession: { verb: "DELETE", path: "/v1/sessions/{id}", envelope: true },
  startDevice: { verb: "POST", path: "/v1/sessions/devices", data: "authorization", envelope: true },
  pollDevice: { verb: "POST", path: "/v1/sessions/devices/token", data: "outcome", envelope: true },
  getDevice: { verb: "GET", path: "/v1/sessions/devices/{userCode}", data: "device", envelope: true },
  approveDevice: { verb: "POST", path: "/v1/sessions/devices/{userCode}/approve", envelope: true },
  denyDevice: { verb: "POST", path: "/v1/sessions/devices/{userCode}/deny", envelope: true },
  createSignInCode: { verb: "POST", path: "/v1/sessions/codes", data: "code", envelope: true },
  rotateLinks: { verb: "POST", path: "/v1/links/rotate", data: "rotation", envelope: true },
  listModels: { verb: "GET", path: "/v1/admin/models", data: "models", envelope: true },
  useModel: { verb: "POST", path: "/v1/admin/models/{id}/use", data: "models", envelope: true },
  createOrganisation: { verb: "POST", path: "/v1/admin/organisations", data: "created", envelope: true },
  listOrganisations: { verb: "GET", path: "/v1/admin/organisations", envelope: true },
  updateOrganisation: { verb: "PATCH", path: "/v1/admin/organisations/{id}", data: "organisation", envelope: true },
  listPlans: { verb: "GET", path: "/v1/admin/plans", envelope: true },
  setPlan: { verb: "PUT", path: "/v1/admin/plans/{name}", data: "plan", envelope: true },
  deletePlan: { verb: "DELETE", path: "/v1/admin/plans/{name}", envelope: true },
  listAuditEvents: { verb: "GET", path: "/v1/admin/audit", envelope: true },
  getUsage: { verb: "GET", path: "/v1/usage", data: "usage", envelope: true },
  createWorkspace: { verb: "POST", path: "/v1/admin/workspaces", data: "workspace", envelope: true },
  listWorkspaces: { verb: "GET", path: "/v1/admin/workspaces", envelope: true },
  createKey: { verb: "POST", path: "/v1/admin/keys", data: "key", envelope: true },
  listKeys: { verb: "GET", path: "/v1/admin/keys", envelope: true },
  rotateKey: { verb: "POST", path: "/v1/admin/keys/{id}/rotate", data: "key", envelope: true },
  revokeKey: { verb: "DELETE", path: "/v1/admin/keys/{id}", data: "key", envelope: true },
  createWebhook: { verb: "POST", path: "/v1/webhooks", data: "webhook", envelope: true },
  listWebhooks: { verb: "GET", path: "/v1/webhooks", envelope: true },
  getWebhook: { verb: "GET", path: "/v1/webhooks/{id}", data: "webhook", envelope: true },
  updateWebhook: { verb: "PATCH", path: "/v1/webhooks/{id}", data: "webhook", envelope: true },
  deleteWebhook: { verb: "DELETE", path: "/v1/webhooks/{id}", envelope: true },
  getWebhookSecret: { verb: "GET", path: "/v1/webhooks/{id}/secret", data: "secret", envelope: true },
  rotateWebhookSecret: { verb: "POST", path: "/v1/webhooks/{id}/secret/rotate", data: "secret", envelope: true },
  testWebhook: { verb: "POST", path: "/v1/webhooks/{id}/test", data: "delivery", envelope: true },
  listDeliveries: { verb: "GET", path: "/v1/webhooks/{id}/deliveries", envelope: true },
  getDelivery: { verb: "GET", path: "/v1/webhooks/{id}/deliveries/{messageId}", data: "delivery", envelope: true },
  redeliverDelivery: {
    verb: "POST",
    path: "/v1/webhooks/{id}/deliveries/{messageId}/redeliver",
    data: "delivery",
    envelope: true,
  },
};

/** Which status an error code may come with. */
const statuses: Readonly<Record<string, readonly number[]>> = {
  INVALID_ARGUMENT: [400, 415],
  UNAUTHENTICATED: [401],
  PERMISSION_DENIED: [403],
  NOT_FOUND: [404],
  ALREADY_EXISTS: [409],
  RESOURCE_EXHAUSTED: [413],
  FAILED_PRECONDITION: [422],
  UNAVAILABLE: [503],
};

export function restApi(base: string, apiKey: string): Api {
  const headersFor = (key: string | null | undefined): Record<string, string> =>
    key === null ? {} : { "x-api-key": key ?? apiKey };

  return {
    protocol: "REST",
    async call(method, request, { key, workspace, idempotencyKey } = {}) {
      const endpoint = endpoints[method];
      const rest = { ...request };
      const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(rest[name]);
        delete rest[name];
        return encodeURIComponent(value);
      });
      const hasBody = endpoint.verb !== "GET" && endpoint.verb !== "DELETE";
      const url = hasBody ? `${base}${path}` : `${base}${path}?${query(rest).toString()}`;
      const response = await fetch(url, {
        method: endpoint.verb,
        headers: {
          ...headersFor(key),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
          ...(workspace !== undefined && { "x-workspace": workspace }),
          ...(hasBody && { "content-type": "application/json" }),
        },
        ...(hasBody && { body: JSON.stringify(rest) }),
      });
      return outcomeOf(response, endpoint);
    },

    async upload(method, upload, { key, idempotencyKey } = {}) {
      const { file, fileName, url, expiresInDays, metadata, callbackUrl, ifExists, sha256 } = upload;
      const form = new FormData();
      if (ifExists !== undefined) form.set("ifExists", ifExists);
      if (sha256 !== undefined) form.set("sha256", sha256);
      if (callbackUrl !== undefined) form.set("callbackUrl", callbackUrl);
      if (file !== undefined) form.set("file", new Blob([new Uint8Array(file)]), fileName ?? "file.pdf");
      if (url !== undefined) form.set("url", url);
      if (expiresInDays !== undefined) form.set("expiresInDays", String(expiresInDays));
      if (metadata !== undefined) form.set("metadata", JSON.stringify(metadata));
      const headers = {
        ...headersFor(key),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      };
      const response = await fetch(`${base}/v1/${method}`, { method: "POST", headers, body: form });
      return outcomeOf(response, { verb: "POST", path: "", data: "job", envelope: true });
    },

    async replace(id, { file, fileName, url, sha256, vectorize }, { key, idempotencyKey } = {}) {
      const form = new FormData();
      if (sha256 !== undefined) form.set("sha256", sha256);
      if (vectorize !== undefined) form.set("vectorize", String(vectorize));
      if (url !== undefined) form.set("url", url);
      if (file !== undefined) form.set("file", new Blob([new Uint8Array(file)]), fileName ?? "file.pdf");
      const headers = {
        ...headersFor(key),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      };
      const address = `${base}/v1/datasets/${encodeURIComponent(id)}/file`;
      const response = await fetch(address, { method: "PUT", headers, body: form });
      return outcomeOf(response, { verb: "PUT", path: "", data: "job", envelope: true });
    },

    async appendPart({ file, bytesFirst = false, ...said }, { key } = {}) {
      const form = new FormData();
      if (bytesFirst) form.set("file", new Blob([new Uint8Array(file)]), "part");
      for (const [name, value] of Object.entries(said)) if (value !== undefined) form.set(name, String(value));
      if (!bytesFirst) form.set("file", new Blob([new Uint8Array(file)]), "part");
      const url = `${base}/v1/upload-session/append`;
      const response = await fetch(url, { method: "POST", headers: headersFor(key), body: form });
      return outcomeOf(response, { verb: "POST", path: "", data: "part", envelope: true });
    },

    async watch(id, { afterRevision, key } = {}) {
      const response = await fetch(`${base}/v1/jobs/${encodeURIComponent(id)}/watch`, {
        headers: { ...headersFor(key), ...(afterRevision !== undefined && { "last-event-id": afterRevision }) },
      });
      if (!response.ok) return refusalOf(response);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      const events = (await response.text()).split("\n\n").filter((event) => event.includes("data: "));
      const states = events.map((event) => {
        const revision = /^id: (.*)$/m.exec(event)?.[1] ?? "";
        return { job: parse(/^data: (.*)$/m.exec(event)?.[1] ?? ""), revision };
      });
      return { ok: true, states };
    },

    async readShare(id, token) {
      const query = new URLSearchParams({ token }).toString();
      const response = await fetch(`${base}/v1/share/${encodeURIComponent(id)}?${query}`, {
        // The embedding as the other protocols have it.
        headers: { accept: "application/octet-stream, */*;q=0.5" },
      });
      if (!response.ok) return refusalOf(response);
      const name = /filename\*=UTF-8''(.*)$/.exec(response.headers.get("content-disposition") ?? "")?.[1];
      return {
        ok: true,
        contentType: response.headers.get("content-type") ?? "",
        fileName: decodeURIComponent(name ?? ""),
        size: Number(response.headers.get("content-length")),
        etag: (response.headers.get("etag") ?? "").replaceAll('"', ""),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
  };
}

function query(request: JsonObject): URLSearchParams {
  const entries = Object.entries(request).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  return new URLSearchParams(entries);
}

async function outcomeOf(response: Response, { data, envelope }: Endpoint): Promise<Outcome> {
  if (!response.ok) return refusalOf(response);
  expect(response.status).toBe(200);
  const body = await jsonOf(response);
  if (envelope === true) expect(body["success"]).toBe(true);
  return { ok: true, body: data === undefined ? body : { [data]: body["data"] ?? null } };
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = await jsonOf(response);
  const { next, ...always } = body;
  expect(always).toEqual({
    success: false,
    error: expect.any(String),
    code: expect.any(String),
    reason: expect.stringMatching(/^[A-Z_]+$/),
  });
  if (next !== undefined) expect(next).toEqual(expect.any(String));
  const code = String(body["code"]);
  expect(statuses[code], `status ${response.status} for ${code}`).toContain(response.status);
  const requestId = response.headers.get("x-request-id") ?? "";
  return { ok: false, code, message: String(body["error"]), requestId, reason: String(body["reason"]) };
}

async function jsonOf(response: Response): Promise<JsonObject> {
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  return parse(await response.text());
}

function parse(text: string): JsonObject {
  const value: JsonValue = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`not an object: ${text}`);
  return value;
}
