import { describe, expect, test } from "vitest";
import { listOf, objectOf, type RestClient } from "./client.ts";
import { failure } from "./shapes.ts";

/** GET and HEAD of what share links point to. */
export function linkCases(rest: RestClient): void {
  async function linkOf(row: string): Promise<string> {
    const { zoo } = rest.world;
    if (row === "original") return String(objectOf((await rest.data(`/v1/datasets/${zoo}`))["share"])["url"]);
    const { json } = await rest.send(`/v1/datasets/${zoo}/items?row=${row}&cols=1`);
    const [item] = listOf(objectOf(json)["data"]);
    return String(objectOf(item?.["share"])["url"]);
  }

  describe("share links", () => {
    test.each([
      ["original", "application/pdf", "zoo.pdf", "object-src 'self'"],
      ["pdf", "application/pdf", "zoo-page-1.pdf", "object-src 'self'"],
      ["jpg", "image/jpeg", "zoo-page-1.jpg", "sandbox"],
      ["embedding_image", "application/json", "zoo-page-1-embedding.json", "sandbox"],
    ])("%s: HEAD answers like GET, without a key, and says how to treat the bytes", async (row, type, name, policy) => {
      const url = await linkOf(row);
      const got = await fetch(url);
      const bytes = await got.arrayBuffer();
      const head = await fetch(url, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
      const changing = new Set(["date", "x-request-id", "connection", "keep-alive"]);
      const lasting = (headers: Headers): object =>
        Object.fromEntries([...headers].filter(([header]) => !changing.has(header)));
      expect(lasting(head.headers)).toEqual(lasting(got.headers));
      expect(lasting(head.headers)).toMatchObject({
        "content-type": type,
        "content-length": String(bytes.byteLength),
        "content-disposition": `inline; filename="${name}"; filename*=UTF-8''${name}`,
        etag: expect.stringMatching(/^"[\w@.-]+"$/),
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining(policy),
        "access-control-allow-origin": "*",
      });
    });

    test("an API key is no token", async () => {
      const { apiKey } = rest.world.server.credentials;
      const [url] = (await linkOf("jpg")).split("?");
      for (const path of [`${url}`, `${url}?token=${apiKey}`]) {
        const { status, json } = await rest.send(path);
        expect([status, json]).toEqual([403, failure("PERMISSION_DENIED", expect.stringMatching(/not valid/))]);
      }
    });

    test("a wrong, a foreign and a missing token are refused with one body, to HEAD without any", async () => {
      const { foreign, foreignKey } = rest.world;
      const theirs = await rest.data(`/v1/datasets/${foreign}`, { headers: { "x-api-key": foreignKey } });
      const [own] = (await linkOf("jpg")).split("?");
      const tokens = [`?token=${String(objectOf(theirs["share"])["token"])}`, "?token=x", "?token=", ""];
      const answers = await Promise.all(tokens.map((query) => fetch(`${own}${query}`)));
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
      const head = await fetch(`${own}?token=x`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([403, ""]);
    });
  });
}
