import { describe, expect, test } from "vitest";
import { objectOf, type RestClient } from "./client.ts";
import * as shapes from "./shapes.ts";

/** Information about the service, and headers of every answer. */
export function serviceCases(rest: RestClient): void {
  describe("service", () => {
    const withoutKey = { headers: { "x-api-key": "" } };

    test("is alive and ready, without a key", async () => {
      expect(await rest.send("/healthz", withoutKey)).toMatchObject({ status: 200, json: { status: "ok" } });
      for (const headers of [{ "x-api-key": "" }, { "x-api-key": "wrong" }, { "x-api-key": rest.world.readKey }]) {
        expect(await rest.send("/readyz", { headers })).toMatchObject({ status: 200, text: '{"ready":true}' });
      }
    });

    test("says to operators what its readiness is made of", async () => {
      const { status, json } = await rest.send("/readyz");
      expect([status, objectOf(json)["ready"]]).toEqual([200, true]);
      const checks = objectOf(objectOf(json)["checks"]);
      expect(Object.keys(checks).length).toBeGreaterThan(0);
      expect(new Set(Object.values(checks))).toEqual(new Set(["ok"]));
    });

    test("answers HEAD as GET", async () => {
      for (const path of ["/healthz", "/readyz"]) {
        const head = await rest.send(path, { method: "HEAD" });
        expect([head.status, head.text]).toEqual([200, ""]);
      }
    });

    test("counts what it answers, without ids, keys or tokens", async () => {
      await rest.data(`/v1/datasets/${rest.world.zoo}`);
      const count = async (): Promise<string> => (await rest.send("/metrics", withoutKey)).text;
      await expect
        .poll(count)
        .toMatch(/^drs_requests_total\{method="drs\.v1\.DatasetService\/GetDataset",protocol="rest",code="OK"\} \d+$/m);
      const text = await count();
      for (const secret of [/dsx?_\w{26}/, /dsj_\w{26}/, /token/, /drs_01/]) expect(text).not.toMatch(secret);
    });

    test("describes every endpoint of the contract", async () => {
      const { json } = await rest.send("/v1/openapi.json", withoutKey);
      expect(json).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), servers: [{ url: rest.url }] });
      const paths = objectOf(objectOf(json)["paths"]);
      const described = Object.entries(paths).flatMap(([path, verbs]) =>
        Object.keys(objectOf(verbs)).map((verb) => `${verb} ${path.replaceAll(/\{\w+\}/g, ":id")}`),
      );
      expect(described).toEqual(
        expect.arrayContaining([
          "post /v1/extract",
          "post /v1/vectorize",
          "post /v1/datasets/:id/vectorize",
          "get /v1/jobs",
          "get /v1/jobs/:id",
          "get /v1/jobs/:id/watch",
          "post /v1/jobs/:id/cancel",
          "post /v1/jobs/:id/retry",
          "get /v1/datasets",
          "get /v1/datasets/:id",
          "delete /v1/datasets/:id",
          "get /v1/datasets/:id/items",
          "post /v1/search",
          "get /v1/share/:id",
        ]),
      );
    });

    test.each([
      ["Job", shapes.job],
      ["Dataset", shapes.dataset],
      [
        "DatasetItem",
        {
          ...shapes.foundItem,
          valueType: "",
          text: "",
          highlights: [],
          picture: "",
          explanation: {},
          neighbours: [],
          metadata: {},
          snippet: {},
        },
      ],
      ["Share", shapes.share],
      ["Workspace", shapes.workspace],
      ["ApiKey", { ...shapes.apiKey, key: "" }],
      ["Organisation", shapes.organisation],
      ["PlanLimits", shapes.planLimits],
      ["AuditEvent", shapes.auditEvent],
      ["Member", shapes.member],
      ["Invitation", { ...shapes.invitation, token: "", joinUrl: "" }],
      ["Identity", shapes.identity],
    ])("describes %s with the fields that it has", async (name, shape) => {
      const { json } = await rest.send("/v1/openapi.json");
      const schemas = objectOf(objectOf(objectOf(json)["components"])["schemas"]);
      const [schema] = Object.entries(schemas).filter(([key]) => key === name || key.endsWith(`.${name}`));
      const properties = objectOf(objectOf(schema?.[1])["properties"]);
      expect(Object.keys(properties).toSorted()).toEqual(Object.keys(shape).toSorted());
    });

    test("has a page for people", async () => {
      const { status, headers, text } = await rest.send("/docs", withoutKey);
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toContain("/docs/start.js");
      expect(await (await fetch(rest.url)).text()).toContain('<base href="/" />');
    });

    const everywhere = ["/v1/datasets", "/v1/none", "/v1/share/x?token=y", "/healthz", "/metrics", "/docs", "/none"];
    test.each(everywhere)("%s comes with security headers and a request id", async (path) => {
      const { headers } = await rest.send(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
        "x-request-id": expect.stringMatching(/^req_\w{26}$/),
      });
      expect(headers.get("x-powered-by")).toBeNull();
    });

    test("takes over the caller's request id, if it is harmless", async () => {
      const idFor = async (id: string): Promise<string | null> =>
        (await rest.send("/v1/datasets/x", { headers: { "x-request-id": id } })).headers.get("x-request-id");
      expect(await idFor("trace-1:2.3_4")).toBe("trace-1:2.3_4");
      for (const id of ["<script>", "a b", "x".repeat(129)]) expect(await idFor(id)).toMatch(/^req_\w{26}$/);
    });

    test("answers HEAD where there is GET", async () => {
      for (const path of ["/v1/datasets", "/v1/jobs", `/v1/datasets/${rest.world.zoo}`]) {
        const head = await rest.send(path, { method: "HEAD" });
        expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "application/json"]);
      }
    });
  });
}
