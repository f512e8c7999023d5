import { createHash } from "node:crypto";
import { longDocument, onePage } from "../contract/world.ts";
import { objectOf } from "../contract/rest/client.ts";
import type { TestServer } from "../service/start.ts";
import type { Own } from "./placeholders.ts";

/** The data of a caller on a server, which replaces the placeholders. */
export interface Belongings {
  /** Returns the data for an operation: lasting data, and new data if the operation uses it up. */
  forOperation(operationId: string): Promise<Own>;
}

export async function createBelongings(server: TestServer, site: string): Promise<Belongings> {
  const { apiKey, workspaceId, organisationId } = server.credentials;

  async function send(verb: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${server.url}${path}`, {
      method: verb,
      headers: { "x-api-key": apiKey, ...(body === undefined || isForm ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${verb} ${path}: ${text}`);
    return objectOf(JSON.parse(text));
  }
  const created = async (path: string, body: object): Promise<Record<string, unknown>> =>
    objectOf((await send("POST", path, body))["data"]);
  const idAt = async (path: string, body: object): Promise<string> => String((await created(path, body))["id"]);

  async function uploaded(method: "extract" | "vectorize", content: Buffer<ArrayBuffer> = onePage) {
    const { id, datasetId } = await created(`/v1/${method}`, formOf({ file: new Blob([content]) }));
    return { job: String(id), dataset: String(datasetId) };
  }

  async function finished(method: "extract" | "vectorize", content?: Buffer<ArrayBuffer>) {
    const own = await uploaded(method, content);
    // The stream ends with the job.
    await (await fetch(`${server.url}/v1/jobs/${own.job}/watch`, { headers: { "x-api-key": apiKey } })).text();
    return own;
  }

  async function invited() {
    const { id, token } = await created("/v1/admin/invitations", { name: "Ada", role: "member" });
    return { invitation: String(id), invitationToken: String(token) };
  }

  async function joined() {
    const { invitationToken } = await invited();
    const { member } = await created("/v1/invitations/accept", { token: invitationToken });
    return { member: String(objectOf(member)["id"]) };
  }

  async function openUpload(): Promise<{ upload: string }> {
    const start = { fileName: "report.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
    return { upload: String((await created("/v1/upload-session/start", start))["key"]) };
  }

  async function filledUpload() {
    const { upload } = await openUpload();
    const part = formOf({ key: upload, partNumber: "1", file: new Blob([onePage]) });
    await created("/v1/upload-session/append", part);
    return { upload };
  }

  const newKey = async () => ({ key: await idAt("/v1/admin/keys", { name: "spare" }) });

  async function newWebhook() {
    const webhook = await idAt("/v1/webhooks", { url: `${site}/hooks/drs` });
    const { messageId } = await created(`/v1/webhooks/${webhook}/test`, {});
    return { webhook, message: String(messageId) };
  }

  const newCode = async () => ({ signInCode: String((await created("/v1/sessions/codes", {}))["code"]) });

  async function newSession() {
    const response = await fetch(`${server.url}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-drs-console": "1" },
      body: JSON.stringify({ credential: apiKey }),
    });
    return { session: String(objectOf(objectOf(await response.json())["data"])["id"]) };
  }

  async function waitingDevice() {
    const { deviceCode, userCode } = await created("/v1/sessions/devices", { name: "drs on workbench" });
    return { deviceCode: String(deviceCode), userCode: String(userCode) };
  }

  const usedUp: Readonly<Record<string, () => Promise<Own>>> = {
    vectorizeDataset: () => finished("extract"),
    replaceFile: () => finished("extract"),
    deleteDataset: () => finished("extract"),
    cancelJob: () => uploaded("vectorize", longDocument),
    retryJob: () => finished("extract", Buffer.from("%PDF-1.7\nnothing else")),
    rotateKey: newKey,
    revokeKey: newKey,
    updateWebhook: newWebhook,
    deleteWebhook: newWebhook,
    signIn: newCode,
    endSession: newSession,
    pollDevice: waitingDevice,
    getDevice: waitingDevice,
    approveDevice: waitingDevice,
    denyDevice: waitingDevice,
    revokeInvitation: invited,
    showInvitation: invited,
    acceptInvitation: invited,
    removeMember: joined,
    appendPart: openUpload,
    getUpload: filledUpload,
    endUpload: filledUpload,
    abortUpload: filledUpload,
    async deletePlan() {
      await send("PUT", "/v1/admin/plans/team", { limits: {} });
      return {};
    },
  };

  const { job, dataset } = await finished("vectorize");
  const [item] = Object.values(Object((await send("GET", `/v1/datasets/${dataset}/items?row=jpg`))["data"])).map(
    objectOf,
  );
  const sum = createHash("sha256").update(onePage).digest("hex");
  const lasting: Own = {
    job,
    dataset,
    item: String(item?.["id"]),
    linkToken: String(objectOf(item?.["share"])["token"]),
    workspace: workspaceId,
    organisation: organisationId,
    ...(await newKey()),
    ...(await joined()),
    ...(await newWebhook()),
    documentSum: sum,
    partSum: sum,
    partSize: String(onePage.length),
    site,
  };
  let count = 0;
  return {
    async forOperation(operationId) {
      count += 1;
      const once = { idempotencyKey: `import-${count}`, workspaceName: `reports-${count}` };
      return { ...lasting, ...once, ...(await usedUp[operationId]?.()) };
    },
  };
}

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
