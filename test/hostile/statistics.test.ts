import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actOfService } from "../../server/domain/audit/event.ts";
import { keyScopes } from "../../server/domain/caller.ts";
import { newOrganisationId, newWorkspaceId } from "../../server/domain/ids.ts";
import { newKey } from "../../server/domain/workspaces/keys.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { openMetadataOf } from "../service/metadata.ts";
import { startServer, type TestServer } from "../service/start.ts";

// Nobody learns from scores, orders, guesses or explanations what others have, nor what a bound key does not see.

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

async function upload(drs: Drs, texts: readonly string[], fileName: string, metadata = {}): Promise<string> {
  const document = makePdf({ pages: texts.map((text) => ({ text })) });
  const { id, datasetId } = await drs.datasets.upload(document, { fileName, vectorize: true, metadata });
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  return datasetId;
}

/** Without the links, which are others each time. */
async function answers(drs: Drs, asked = questions): Promise<unknown> {
  const found = [];
  for (const question of asked) {
    const items = await drs.search(question, { explain: true, limit: 10, include: ["snippet"] });
    found.push(
      items.map(({ datasetId, col, score, explanation, snippet }) => ({ datasetId, col, score, explanation, snippet })),
    );
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

test("a bound key's scores, orders, guesses and explanations are the same whatever else its workspace has", async () => {
  const { id: workspace } = await own.workspaces.create("shared");
  const use = (apiKey: string): Drs => createDrs({ server: server.url, apiKey });
  const admin = use((await own.keys.create({ workspace, name: "shared", scopes: [...keyScopes] })).key);
  const bound = async (filter: Record<string, string | number>): Promise<Drs> =>
    use((await admin.keys.create({ name: "bound", filter })).key);
  const [mine, single] = [await bound({ customer: 1 }), await bound({ part: "harbour" })];
  await upload(admin, pages, "harbour.pdf", { customer: 1, part: "harbour" });
  await upload(admin, ["A ledger of ships", "The bookkeeper keeps lanterns"], "ledger.pdf", { customer: 1 });
  // Slips and compounds that hidden pages have as they are, words that they make frequent, the name of a file, a phrase.
  const asked = [
    ...questions,
    "lantrens",
    "lanternmaker",
    "ropesKnots",
    "invoice",
    "harbour.pdf",
    '"harbour has"',
    "ledger -ships",
  ];
  const seen = { mine: await answers(mine, asked), single: await answers(single, asked) };
  expect(JSON.stringify(seen.mine)).toContain("foundAs");

  const texts = [
    "The walrus keeps lanterns in the harbour.",
    "walrsu lantrens lanternmaker ropesKnots",
    "invoice ledger ships ropes knots business",
    "The harbour has ropes",
  ];
  const many = Array.from({ length: 240 }, (_, at) => `${texts[at % texts.length] ?? ""} Number ${at}.`);
  const hidden = [
    await upload(admin, many, "harbour.pdf", { customer: 2 }),
    await upload(admin, many.slice(0, 40), "ledger of the walrus.pdf", { customer: 3 }),
  ];
  // Who sees all is asked in between: what is remembered of that tells the others nothing.
  const all = await answers(admin, asked);
  expect({ mine: await answers(mine, asked), single: await answers(single, asked) }).toEqual(seen);
  expect(all).not.toEqual(await answers(mine, asked));

  const together = await mine.searchMany(asked.map((query) => ({ query, limit: 10 })));
  const scores = together.map(({ found = [] }) => found.map(({ score }) => ({ score })));
  expect(seen.mine).toMatchObject(scores);
  for (const id of hidden) await admin.datasets.delete(id);
  expect({ mine: await answers(mine, asked), single: await answers(single, asked) }).toEqual(seen);
}, 240_000);
