import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { countS3Requests, requestsSince, type S3Counter } from "./s3-requests.ts";

let counter: S3Counter;
const store = createServer((request, response) => {
  request.pipe(response);
});
beforeEach(async () => {
  store.listen(0, "127.0.0.1");
  await once(store, "listening");
  const address = store.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  counter = await countS3Requests(`http://127.0.0.1:${address.port}`, "bucket");
});
afterEach(async () => {
  await counter.close();
  store.closeAllConnections();
  store.close();
});

it("counts requests by kind and place, and forwards them", async () => {
  const ask = (method: string, path: string, body?: string): Promise<Response> =>
    fetch(`${counter.url}/bucket${path}`, { method, ...(body !== undefined && { body }) });
  const answer = await ask("PUT", "/blobs/blobs/originals/ds_1", "bytes");
  expect(await answer.text()).toBe("bytes");
  const before = counter.counts();
  await ask("GET", "/vectors/dense2.a.text.lance/data/1.lance");
  await ask("GET", "?list-type=2&prefix=vectors/dense2.a.text.lance/_versions/");
  await ask("POST", "?delete", "<Delete/>");
  await ask("HEAD", "/blobs/blobs/renditions/ds_1/1.jpg");
  expect(before).toEqual(new Map([["PUT originals", 1]]));
  expect(requestsSince(before, counter.counts())).toEqual(
    new Map([
      ["GET vectors", 1],
      ["LIST vectors", 1],
      ["POST delete", 1],
      ["HEAD renditions", 1],
    ]),
  );
});
