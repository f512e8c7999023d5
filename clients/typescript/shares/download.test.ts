import { afterEach, expect, test } from "vitest";
import { createDrs } from "../index.ts";
import { listen, type Listening } from "../testing/service.ts";

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function serving(disposition: string, status = 200): Promise<{ url: string; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const service = await listen(
    () => undefined,
    (request, response) => {
      keys.push(request.headers["x-api-key"]?.toString());
      const body =
        status === 200 ? "picture" : '{"success":false,"error":"this link has expired","code":"PERMISSION_DENIED"}';
      response
        .writeHead(status, {
          "content-type": "image/jpeg",
          "content-disposition": disposition,
          "content-length": body.length,
        })
        .end(body);
    },
  );
  open.push(service);
  return { url: `${service.url}/v1/share/dsx_1?token=t`, keys };
}

test("opens a link without sending the key", async () => {
  const { url, keys } = await serving('inline; filename="page 7.jpg"');
  const drs = createDrs({ server: "http://127.0.0.1:1", apiKey: "drs_secret" });
  const share = { url, token: "t", expiresAt: null };
  const download = await drs.download({ share });
  expect(download).toMatchObject({ contentType: "image/jpeg", size: 7, fileName: "page 7.jpg" });
  expect(new TextDecoder().decode(await download.bytes())).toBe("picture");
  expect(await (await drs.download(share)).blob()).toHaveProperty("size", 7);
  expect(keys).toEqual([undefined, undefined]);
});

test.each([
  ["attachment; filename=\"?.pdf\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.pdf", "größe.pdf"],
  ["attachment; filename*=UTF-8''%ZZ; filename=plain.pdf", "plain.pdf"],
  ['attachment; filename="../../etc/passwd"', "passwd"],
  ["attachment; filename*=UTF-8''..%5C..%5Ca.exe", "a.exe"],
  ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ["inline", undefined],
])("takes the file name out of %s", async (disposition, name) => {
  const { url } = await serving(disposition);
  expect((await createDrs({ server: "http://127.0.0.1:1" }).download(url)).fileName).toBe(name);
});

test("an expired link is a typed error", async () => {
  const { url } = await serving("inline", 403);
  await expect(createDrs({ server: "http://127.0.0.1:1" }).download(url)).rejects.toMatchObject({
    code: "permission_denied",
    status: 403,
    message: "this link has expired",
  });
});
