import { createDrs, type Drs } from "@drs/client";
import { makeDocuments } from "./documents.ts";

export interface View {
  readonly name: string;
  readonly path: string;
  /** Selects an element that exists once the view is complete. */
  readonly whole: string;
  /** The names of buttons to press, one after another. */
  readonly opens?: readonly string[];
}

/** Views before the sign-in. */
export const viewsSignedOut = ({ invitation }: Stock): readonly View[] => [
  { name: "sign-in", path: "/", whole: "input[name=credential]" },
  { name: "join", path: `/join#${invitation}`, whole: "input" },
];

export const viewsSignedIn = ({ datasetId, webhookId }: Stock): readonly View[] => [
  { name: "begin", path: "/", whole: ".begin" },
  { name: "search", path: "/search?q=cost+of+heating", whole: ".sheet-mark" },
  { name: "filter", path: "/search?q=cost+of+heating", whole: ".sheet-mark", opens: ["Filter"] },
  { name: "nothing", path: "/search?q=heating&where=year<1900", whole: ".empty" },
  { name: "viewer", path: `/documents/${datasetId}/pages/1?q=cost+of+heating`, whole: ".viewer .sheet-mark" },
  { name: "documents", path: "/documents", whole: ".document-link" },
  { name: "contact-sheet", path: `/documents/${datasetId}`, whole: ".contact-picture[src]" },
  { name: "delete", path: `/documents/${datasetId}`, whole: ".contact-picture[src]", opens: ["More", "Delete"] },
  { name: "upload", path: "/upload", whole: ".drop-target" },
  { name: "usage", path: "/admin/usage", whole: ".figures" },
  { name: "workspaces", path: "/admin/workspaces", whole: "tbody tr" },
  { name: "members", path: "/admin/members", whole: "tbody tr" },
  { name: "keys", path: "/admin/keys", whole: "tbody tr" },
  { name: "new-key", path: "/admin/keys", whole: "tbody tr", opens: ["New key"] },
  { name: "webhooks", path: "/admin/webhooks", whole: "tbody tr" },
  { name: "webhook", path: `/admin/webhooks/${webhookId}`, whole: "h3" },
  { name: "models", path: "/admin/models", whole: "main h2" },
  { name: "audit", path: "/admin/audit", whole: "tbody tr" },
  { name: "service", path: "/admin/service", whole: "main h2" },
  { name: "account", path: "/account", whole: "tbody tr" },
  { name: "device", path: "/device", whole: "input" },
  { name: "no-view", path: "/documents/nowhere/at/all", whole: "h1" },
  { name: "design", path: "/design", whole: "h1" },
];

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

/** Adds a damaged document: a file that begins like a PDF, but has none of the rest. */
async function addDamaged(drs: Drs): Promise<void> {
  const { id } = await drs.datasets.upload(new Blob(["%PDF-1.7\nnothing"]), { fileName: "torn.pdf", vectorize: true });
  await drs.jobs.wait(id);
}
