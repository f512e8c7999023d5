import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actOfService } from "../../server/domain/audit/event.ts";
import { keyScopes } from "../../server/domain/caller.ts";
import { newOrganisationId, newWorkspaceId } from "../../server/domain/ids.ts";
import { newKey } from "../../server/domain/workspaces/keys.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { openMetadataOf } from "../service/metadata.ts";
import { startServer, type TestServer } from "../service/start.ts";

// Nobody learns from scores, orders or explanations what others have.

const pages = [
  "The walrus keeps lanterns in the harbour.",
  "The harbour has ropes, and the ropes have knots.",
  "Knots of a lantern maker are no business of a walrus.",
  "Nothing but an invoice for coal.",
];
const questions = ["walrus lanterns", "harbour ropes", "knots", "walrsu", "who keeps lanterns in the harbour?"];

let server: TestServer;
let own: Drs;
let stranger: Drs;
beforeAll(async () => {
  server = await startServer({ workers: "1" });
  own = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  stranger = createDrs({ server: server.url, apiKey: await keyOfStranger() });
  await upload(own, pages, "harbour.pdf");
}, 120_000);
afterAll(() => server.remove());

async function keyOfStranger(): Promise<string> {
  const metadata = await openMetadataOf(server.dataDir);
  const [organisationId, workspaceId, now] = [newOrganisationId(), newWorkspaceId(), Date.now()];
  const fields = { name: "stranger", plan: "unlimited", isOperator: false, createdAt: now };
  const workspace = { id: workspaceId, organisationId, name: "elsewhere", createdAt: now };
  const grant = {
    organisationId,
    workspaceId,
    name: "full",
    scopes: keyScopes,
    expiresAt: null,
    requestsPerMinute: null,
  };
  const key = newKey(grant, now);
  const event = actOfService(organisationId, { action: "workspace.create", target: workspaceId }, now);
  await metadata.organisations.create({ organisation: { id: organisationId, ...fields }, workspace, key }, [event]);
  await metadata.close();
  return key.key;
}

async function upload(drs: Drs, texts: readonly string[], fileName: string): Promise<string> {
  const document = makePdf({ pages: texts.map((text) => ({ text })) });
  const { id, datasetId } = await drs.datasets.upload(document, { fileName, vectorize: true });
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  return datasetId;
}

/** Without the links, which are others each time. */
async function answers(drs: Drs): Promise<unknown> {
  const found = [];
  for (const question of questions) {
    const items = await drs.search(question, { explain: true, limit: 10 });
    found.push(items.map(({ datasetId, col, score, explanation }) => ({ datasetId, col, score, explanation })));
  }
  return JSON.parse(JSON.stringify(found));
}

test("scores, orders and explanations are the same whatever another organisation has", async () => {
  const alone = await answers(own);
  const many = Array.from({ length: 60 }, (_, at) => `${pages[at % pages.length] ?? ""} Number ${at} of the walrus.`);
  const theirs = await upload(stranger, many, "harbour.pdf");
  expect(await answers(own)).toEqual(alone);
  // It is others that have them, and are found by them.
  expect((await stranger.search("walrus lanterns")).length).toBeGreaterThan(0);
  await stranger.datasets.delete(theirs);
  expect(await answers(own)).toEqual(alone);
});
