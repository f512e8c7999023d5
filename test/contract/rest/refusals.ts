import { describe, expect, test } from "vitest";
import { unknownDataset, unknownJob } from "../world.ts";
import type { RestClient } from "./client.ts";
import { failure } from "./shapes.ts";

/** Refusals: status, body and headers. */
export function refusalCases(rest: RestClient): void {
  describe("paths and verbs", () => {
    test.each([
      "/v1",
      "/v1/",
      "/v2/jobs",
      "/v1/none",
      "/v1/jobs/",
      "/V1/jobs",
      "/v1//jobs",
      `/v1/datasets/${unknownDataset}/none`,
      "/v1/datasets/a/b/items",
      "/none",
    ])("there is nothing at %s", async (path) => {
      const { status, json } = await rest.send(path);
      expect([status, json]).toEqual([404, failure("NOT_FOUND", expect.stringContaining(path))]);
    });

    test.each([
      ["/v1/extract", "POST, OPTIONS"],
      ["/v1/vectorize", "POST, OPTIONS"],
      ["/v1/datasets", "GET, HEAD, OPTIONS"],
      ["/v1/datasets/ID", "GET, HEAD, PATCH, DELETE, OPTIONS"],
      ["/v1/datasets/ID/items", "GET, HEAD, OPTIONS"],
      ["/v1/datasets/ID/vectorize", "POST, OPTIONS"],
      ["/v1/jobs", "GET, HEAD, OPTIONS"],
      ["/v1/jobs/ID", "GET, HEAD, OPTIONS"],
      ["/v1/jobs/ID/cancel", "POST, OPTIONS"],
      ["/v1/jobs/ID/retry", "POST, OPTIONS"],
      ["/v1/jobs/ID/watch", "GET, OPTIONS"],
      ["/v1/search", "POST, OPTIONS"],
      ["/v1/share/ID", "GET, HEAD, OPTIONS"],
      ["/v1/admin/workspaces", "GET, HEAD, POST, OPTIONS"],
      ["/v1/admin/keys", "GET, HEAD, POST, OPTIONS"],
      ["/v1/admin/keys/ID", "DELETE, OPTIONS"],
      ["/healthz", "GET, HEAD, OPTIONS"],
      ["/v1/openapi.json", "GET, HEAD, OPTIONS"],
    ])("%s takes %s and nothing else", async (path, allow) => {
      const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((verb) => !allow.includes(verb));
      for (const method of verbs) {
        const { status, json, headers } = await rest.send(path, { method });
        expect([method, status, json]).toEqual([method, 405, failure("UNIMPLEMENTED")]);
        expect(new Set(headers.get("allow")?.split(", "))).toEqual(new Set(allow.split(", ")));
      }
    });
  });

  describe("keys", () => {
    test.each([
      ["no key", { "x-api-key": "" }],
      ["an unknown key", { "x-api-key": "drs_01jzzzzzzzzzzzzzzzzzzzzzzz_x" }],
      ["a key as a cookie", { "x-api-key": "", cookie: "x-api-key=KEY" }],
      ["a key as basic authentication", { "x-api-key": "", authorization: "Basic KEY" }],
    ])("%s is a 401", async (_, given) => {
      const headers = Object.entries(given).map(([name, value]): [string, string] => [
        name,
        value.replace("KEY", rest.world.readKey),
      ]);
      const answer = await rest.send("/v1/datasets", { headers });
      expect([answer.status, answer.json]).toEqual([
        401,
        failure("UNAUTHENTICATED", expect.stringMatching(/x-api-key/)),
      ]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^ApiKey /);
    });

    test("a key in the address is none", async () => {
      const query = new URLSearchParams({ "x-api-key": rest.world.readKey, api_key: rest.world.readKey });
      expect((await rest.send(`/v1/datasets?${query.toString()}`, { headers: { "x-api-key": "" } })).status).toBe(401);
    });

    test("a key works as a bearer token as well", async () => {
      const headers = { authorization: `Bearer ${rest.world.readKey}` };
      expect((await rest.send("/v1/datasets", { headers })).status).toBe(200);
    });

    test("a key without the scope is a 403 that names it", async () => {
      const { status, json } = await rest.post("/v1/search", { query: "a" }, { "x-api-key": rest.world.readKey });
      expect([status, json]).toEqual([403, failure("PERMISSION_DENIED", expect.stringMatching(/scope "search"/))]);
    });

    test("the key is checked before anything else, so that a refusal does not tell what exists", async () => {
      const headers = { "x-api-key": "" };
      for (const id of [rest.world.zoo, unknownDataset, "x"]) {
        expect((await rest.send(`/v1/datasets/${id}`, { headers })).status).toBe(401);
      }
      expect((await rest.post("/v1/search", "{", headers)).status).toBe(401);
    });
  });

  describe("errors", () => {
    test.each([
      ["an unknown dataset", 404, "NOT_FOUND", "GET", `/v1/datasets/${unknownDataset}`],
      ["what is no id", 404, "NOT_FOUND", "GET", "/v1/datasets/%2e%2e%2fetc"],
      ["an id that is too long", 400, "INVALID_ARGUMENT", "GET", `/v1/datasets/${"x".repeat(65)}`],
      ["an unknown job", 404, "NOT_FOUND", "GET", `/v1/jobs/${unknownJob}`],
      ["a path that is not well encoded", 400, "INVALID_ARGUMENT", "GET", "/v1/jobs/%zz"],
      ["vectorizing twice", 409, "ALREADY_EXISTS", "POST", "/v1/datasets/ZOO/vectorize"],
      ["cancelling what has ended", 409, "ALREADY_EXISTS", "POST", "/v1/jobs/JOB/cancel"],
    ])("%s is a %i", async (_, expected, code, method, template) => {
      const path = template.replace("ZOO", rest.world.zoo).replace("JOB", rest.world.zooJob);
      const { status, json, headers } = await rest.send(path, { method });
      expect([status, json]).toEqual([expected, failure(code)]);
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("cache-control")).toBe("no-store");
    });

    test("an answer that the client rules out is a 406", async () => {
      const status = async (accept: string) => (await rest.send("/v1/datasets", { headers: { accept } })).status;
      expect(await status("application/xml")).toBe(406);
      expect(await status("application/xml, application/*;q=0.1")).toBe(200);
    });

    test("bodies of other types, or compressed ones, are a 415", async () => {
      for (const headers of [{ "content-type": "text/xml" }, { "content-encoding": "gzip" }]) {
        expect(await rest.post("/v1/search", "{}", headers)).toMatchObject({
          status: 415,
          json: failure("INVALID_ARGUMENT", expect.stringMatching(/not supported/)),
        });
      }
    });

    test("a foreign id is answered like an unknown one, to the last header", async () => {
      const look = async (id: string): Promise<object> => {
        const { status, text, headers } = await rest.send(`/v1/datasets/${id}/items`);
        const names = [...headers].map(([name]) => name);
        return { status, text: text.replaceAll(id, "ID"), length: headers.get("content-length"), names };
      };
      expect(await look(rest.world.foreign)).toEqual(await look(unknownDataset));
    });
  });
}
