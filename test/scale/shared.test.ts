import { createDrs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { documentOf, wordOf } from "./documents.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { rest, type RestRequest } from "./rest.ts";
import { emptyStores, hasSharedStores, scaleReason } from "./stores.ts";

const partBytes = 5_000_000;
/** Four parts, the last of which is small. */
const book = makePdf({ pages: [{ text: "A book in parts." }, { operators: `%${"x".repeat(3 * partBytes)}` }] });
const bookParts = [0, 1, 2, 3].map((index) => book.subarray(index * partBytes, (index + 1) * partBytes));
const soon = { timeout: 60_000, interval: 100 };

describe.skipIf(!hasSharedStores)(`two API processes are one service${scaleReason}`, { timeout: 300_000 }, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({ apis: 2, workers: 1, env: await emptyStores() });
  }, 600_000);
  afterAll(() => fleet.close());

  const ask = (api: number, path: string, request: Partial<RestRequest> = {}) =>
    rest(fleet.apis[api]?.url ?? "", path, { apiKey: fleet.apiKey, ...request });

  /** The same path at the other process. */
  const at = (api: number, address: string): string => {
    const { pathname, search } = new URL(address);
    return `${fleet.apis[api]?.url}${pathname}${search}`;
  };

  async function startSession(): Promise<string> {
    const form = { fileName: "book.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
    return String((await ask(0, "upload-session/start", { form })).data["key"]);
  }

  async function sendParts(key: string): Promise<void> {
    const sent = await Promise.all(
      bookParts.map((file, index) =>
        ask(index % 2, "upload-session/append", { form: { key, partNumber: String(index + 1), file } }),
      ),
    );
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }

  test("a key that one revokes is refused by the other, also where a call is under way", async () => {
    const made = await fleet.client(0).keys.create({ name: "short-lived" });
    const lists = (api: number) => ask(api, "datasets", { apiKey: made.key });
    expect([(await lists(0)).status, (await lists(1)).status]).toEqual([200, 200]);
    const job = await fleet.client(0).datasets.upload(documentOf(1).bytes, { fileName: "watched.pdf" });
    const other = fleet.client(1);
    const long = await other.datasets.upload(documentOf(10).bytes, { fileName: "long.pdf", vectorize: true });
    const watcher = createDrs({ server: fleet.apis[1]?.url ?? "", apiKey: made.key });
    const watched = watcher.jobs.wait(long.id).then(
      ({ status }) => status,
      (cause: unknown) => cause,
    );
    await fleet.client(0).keys.revoke(made.id);
    expect([(await lists(0)).status, (await lists(1)).status]).toEqual([401, 401]);
    // The job may have been faster than the look at the credentials.
    const outcome = await watched;
    if (outcome !== "SUCCESS") expect(outcome).toMatchObject({ code: "unauthenticated" });
    expect(await other.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    expect(await other.jobs.wait(long.id)).toMatchObject({ status: "SUCCESS" });
  });

  test("parts of a session go to both, and ends at both at once make one dataset", async () => {
    const key = await startSession();
    await sendParts(key);
    const ends = await Promise.all([0, 1, 0, 1].map((api) => ask(api, "upload-session/end", { form: { key } })));
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [first] = ends;
    for (const { data } of ends) {
      expect(data).toMatchObject({ id: first?.data["id"], datasetId: first?.data["datasetId"] });
    }
    expect(await fleet.client(1).jobs.wait(String(first?.data["id"]))).toMatchObject({ status: "SUCCESS" });
    const books = (await Array.fromAsync(fleet.client(0).datasets.list())).filter(
      ({ fileName }) => fileName === "book.pdf",
    );
    expect(books).toMatchObject([{ id: first?.data["datasetId"], itemCount: 2, fileSize: book.byteLength }]);
  });

  test("a request sent to both under one idempotency key creates one document", async () => {
    const form = { file: makePdf({ pages: [{ text: "Only once." }] }) };
    const send = async (api: number): Promise<unknown> => {
      for (;;) {
        const { status, data } = await ask(api, "extract", { form, headers: { "idempotency-key": "raced-over-both" } });
        if (status === 200) return data["datasetId"];
        // The other one is at work.
        expect(status).toBe(409);
      }
    };
    const before = (await fleet.client(0).datasets.page({ limit: 1 })).total;
    const ids = await Promise.all([0, 1, 0, 1, 0, 1].map(send));
    expect(new Set(ids).size).toBe(1);
    expect((await fleet.client(1).datasets.page({ limit: 1 })).total).toBe(before + 1);
  });

  test("what a worker has embedded is found at both, also where the index was read before", async () => {
    for (const number of [4, 8]) {
      const document = documentOf(number);
      const word = wordOf(number, 1);
      expect((await fleet.client(1).search(word)).filter(({ col }) => col < 0)).toEqual([]);
      const job = await fleet.client(0).datasets.upload(document.bytes, { fileName: "found.pdf", vectorize: true });
      expect(await fleet.client(1).jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
      for (const api of [1, 0]) {
        await expect
          .poll(async () => (await fleet.client(api).search(word))[0], soon)
          .toMatchObject({ datasetId: job.datasetId, col: 1 });
      }
    }
  });

  test("a page and its link are the same at both, until one of them revokes the links", async () => {
    const job = await fleet.client(0).datasets.upload(documentOf(2).bytes, { fileName: "shared.pdf" });
    expect(await fleet.client(0).jobs.wait(job.id)).toMatchObject({ status: "SUCCESS" });
    const [item] = await Array.fromAsync(fleet.client(0).items.list(job.datasetId, { row: "jpg", cols: ["1"] }));
    const link = item?.share.url ?? "";
    const view = async (api: number) => {
      const answer = await fetch(at(api, link));
      return {
        status: answer.status,
        etag: answer.headers.get("etag"),
        bytes: Buffer.from(await answer.arrayBuffer()),
      };
    };
    const seen = await view(0);
    expect(seen.status).toBe(200);
    expect(await view(1)).toEqual(seen);
    await fleet.client(0).links.rotate({ revoke: true });
    expect([(await view(1)).status, (await view(0)).status]).toEqual([403, 403]);
    const [anew] = await Array.fromAsync(fleet.client(1).items.list(job.datasetId, { row: "jpg", cols: ["1"] }));
    expect((await fetch(at(0, anew?.share.url ?? ""))).status).toBe(200);
  });
});
