import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "./connection.ts";
import { createDrs } from "./index.ts";

const seen: IncomingHttpHeaders[] = [];
const paths: (string | undefined)[] = [];
const service = createServer((request, response) => {
  seen.push(request.headers);
  paths.push(request.url);
  request.resume().once("end", () => response.writeHead(404).end());
});
let server: string;
beforeEach(async () => {
  seen.length = 0;
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const address = service.address();
  server = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterEach(async () => {
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

/** Returns what came with the only request of the call; the service rejects every one. */
async function sentBy(call: Promise<unknown>): Promise<readonly unknown[]> {
  await expect(call).rejects.toMatchObject({ name: "DrsError" });
  expect(seen).toHaveLength(1);
  const [headers] = seen.splice(0);
  return [headers?.["x-api-key"], headers?.["x-workspace"]];
}

test("the workspace goes with calls and uploads, and with no share link", async () => {
  const drs = createDrs({ server, apiKey: "drsp_ann", workspace: "second" });
  expect(await sentBy(drs.datasets.upload(new Blob(["%PDF-"])))).toEqual(["drsp_ann", "second"]);
  expect(await sentBy(drs.uploads.abort("upl_1"))).toEqual(["drsp_ann", "second"]);
  expect(await sentBy(drs.download(`${server}/v1/share/ds_1`))).toEqual([undefined, undefined]);
});

test("the key goes along with no redirect", async () => {
  const redirecting = createServer((request, response) =>
    request.resume().once("end", () => response.writeHead(307, { location: `${server}${request.url}` }).end()),
  );
  redirecting.listen(0, "127.0.0.1");
  await once(redirecting, "listening");
  const { port } = redirecting.address() as AddressInfo;
  const connection = connect({ server: `http://127.0.0.1:${port}`, apiKey: "drs_secret" });
  const drs = createDrs({ server: connection.server, apiKey: "drs_secret" });
  const calls = [connection.request("/v1/jobs"), drs.jobs.page()];
  for (const call of calls) await expect(call).rejects.toMatchObject({ name: "DrsError" });
  expect(seen).toEqual([]);
  redirecting.closeAllConnections();
  redirecting.close();
});

test("a service below a path of a proxy is asked there for all", async () => {
  const drs = createDrs({ server: `${server}/drs/`, apiKey: "drs_secret" });
  paths.length = 0;
  await sentBy(drs.me());
  await sentBy(drs.datasets.upload(new Blob(["%PDF-"])));
  await sentBy(connect({ server: `${server}/drs` }).request("/v1/jobs"));
  await sentBy(drs.download(`${server}/drs/v1/share/ds_1`));
  expect(paths.map((path) => path?.startsWith("/drs/"))).toEqual([true, true, true, true]);
});

test("joining needs neither key nor workspace", async () => {
  expect(await sentBy(createDrs({ server }).acceptInvitation({ token: "drsi_x" }))).toEqual([undefined, undefined]);
});
