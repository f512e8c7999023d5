import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

/** Refused by its first bytes, long before it has been sent. */
const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(600_000, 7)]);
const document = makePdf({ pages: [{ text: "welcome" }] });

async function upload(content: Buffer<ArrayBuffer>): Promise<number> {
  const form = new FormData();
  form.set("file", new Blob([content]), "file");
  const headers = { "x-api-key": server.credentials.apiKey };
  const response = await fetch(`${server.url}/v1/extract`, { method: "POST", headers, body: form });
  await response.arrayBuffer();
  return response.status;
}

test("an early refusal reaches the client, and the connection's next request is unharmed", async () => {
  for (let round = 0; round < 15; round++) {
    expect(await upload(picture)).toBe(415);
    expect(await upload(document)).toBe(200);
  }
  const mixed = await Promise.all(
    Array.from({ length: 30 }, (_, index) => upload(index % 3 === 0 ? document : picture)),
  );
  expect(mixed).toEqual(Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? 200 : 415)));
});
