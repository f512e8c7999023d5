import { createDrs, type Drs } from "@drs/client";
import { makeDocuments } from "./documents.ts";

/** Ids that the addresses of views contain. */
export interface Stock {
  readonly datasetId: string;
  readonly webhookId: string;
  /** The token of an open invitation. */
  readonly invitation: string;
}

/** Adds documents, people, keys and a webhook of an invented town. */
export async function addStock(drs: Drs, url: string): Promise<Stock> {
  const datasetId = await upload(drs);
  await addDamaged(drs);
  for (const [name, role] of people) {
    const { token } = await drs.members.invite({ name, role });
    await createDrs({ server: url }).acceptInvitation({ token });
  }
  const { token: invitation } = await drs.members.invite({ name: "Maren Holt", role: "viewer" });
  await drs.keys.create({ name: "crawler of the archive", scopes: ["read", "write"] });
  await drs.keys.create({ name: "page of the town", scopes: ["read"], filter: { open: true } });
  const webhook = await drs.webhooks.create({ url: "https://hooks.example/drs", description: "Tells the archive" });
  return { datasetId, webhookId: webhook.id, invitation };
}

const people = [
  ["Ada Linden", "admin"],
  ["Ben Okafor", "member"],
] as const;

async function upload(drs: Drs): Promise<string> {
  let first = "";
  for (const [fileName, bytes] of makeDocuments()) {
    const metadata = { open: true, year: 2026 };
    const { id, datasetId } = await drs.datasets.upload(new Blob([bytes]), { fileName, vectorize: true, metadata });
    const { status, statusText } = await drs.jobs.wait(id);
    if (status === "ERROR") throw new Error(`${fileName} could not be read: ${statusText ?? ""}`);
    if (first === "") first = datasetId;
  }
  return first;
}

/** Adds a file that begins like a PDF, and contains nothing else of one. */
async function addDamaged(drs: Drs): Promise<void> {
  const { id } = await drs.datasets.upload(new Blob(["%PDF-1.7\nnothing"]), { fileName: "torn.pdf", vectorize: true });
  await drs.jobs.wait(id);
}
