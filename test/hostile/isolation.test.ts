import { type DescMethod, getOption, type JsonObject } from "@bufbuild/protobuf";
import { createDrs } from "@drs/client";
import { access } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { services } from "../../server/transport/services/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyScopes } from "../../server/domain/caller.ts";
import { roleScopes } from "../../server/domain/members/member.ts";
import { bodyOf, listAt } from "../contract/answers.ts";
import type { Api } from "../contract/api.ts";
import { restApi } from "../contract/rest-api.ts";
import { rpcApi } from "../contract/rpc-api.ts";
import { cases, type MethodCase } from "./tenants/cases.ts";
import { type Ids, nobody } from "./tenants/ids.ts";
import { buildTown, type Tenant, type Town } from "./tenants/tenant.ts";
import { codeOf, encodeCall, nameOf, type Protocol, protocols, wordsOf } from "./wire/calls.ts";
import { type Connections, type HttpAnswer, openConnections } from "./wire/http.ts";

const methods = services.flatMap((service) => service.methods);
const table = methods.flatMap((method): [string, DescMethod, MethodCase][] => {
  const found = cases[nameOf(method)];
  return found === undefined ? [] : [[nameOf(method), method, found]];
});
const closed = table.filter(([, method]) => !getOption(method, access).public);
const scoped = closed.filter(([, method]) => getOption(method, access).scope !== "");

test("every method of the contract has a case", () => {
  expect(methods.map(nameOf).filter((name) => !(name in cases))).toEqual([]);
});

describe("tenants", () => {
  let town: Town;
  let connections: Connections;
  let before: readonly unknown[];

  beforeAll(async () => {
    town = await buildTown();
    connections = openConnections(town.server.url, { roams: true });
    before = await Promise.all([town.sibling, town.stranger].map(possessions));
  });
  afterAll(async () => {
    connections.close();
    await town.close();
  });

  /** Sends the call, and checks that its answer shows nothing of any tenant but the caller. */
  async function send(
    protocol: Protocol,
    method: DescMethod,
    messages: readonly JsonObject[],
    { key, caller }: { key: string | undefined; caller: Tenant | undefined },
  ): Promise<HttpAnswer> {
    const answer = await connections.send(encodeCall(protocol, { method, messages, key }));
    const said = JSON.stringify(messages);
    // What the request itself says may be said back. An administrator sees the workspaces of the organisation.
    const others = [town.own, town.sibling, town.stranger, town.playground].filter(
      (tenant) => tenant !== caller && !(isAdministration(method) && tenant.organisationId === caller?.organisationId),
    );
    const secrets = others.flatMap((tenant) => tenant.secrets).filter((secret) => !said.includes(secret));
    const shown = `${JSON.stringify([answer.headers, answer.trailers])} ${answer.body.toString("latin1")}`;
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    return answer;
  }

  /** All that a tenant can list, but for what is new in every answer. */
  async function possessions({ key }: Tenant): Promise<string> {
    const paths = ["datasets", "jobs", "upload-session", "admin/workspaces", "admin/keys", "admin/members"];
    const more = ["admin/invitations", "admin/organisations", "admin/plans", "admin/audit"];
    const lists = [...paths, ...more].map(async (path) => {
      const response = await fetch(`${town.server.url}/v1/${path}`, { headers: { "x-api-key": key } });
      expect([path, response.status]).toEqual([path, 200]);
      return response.json();
    });
    // Tokens of links are new in every answer, and a key's last use is when it was asked with.
    return JSON.stringify(await Promise.all(lists), (name, value: unknown) =>
      name === "share" || name === "lastUsedAt" ? undefined : value,
    );
  }

  describe.each(protocols)("%s", (protocol) => {
    describe("a wrong key", () => {
      test.each(closed)("opens nothing: %s", async (_, method, { messages }) => {
        const { own, stranger } = town;
        const [, id = "", secret = ""] = /^drs_([^_]+)_(.+)$/.exec(own.key) ?? [];
        const wrong = {
          garbage: "garbage",
          unknown: `drs_${nobody.keyId}_${secret}`,
          "with another key's secret": `drs_${id}_${/[^_]+$/.exec(stranger.key)?.[0] ?? ""}`.slice(0, own.key.length),
          "one character off": own.key.replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
          "in other letters": own.key.toUpperCase(),
          "only its id": `drs_${id}_`,
          revoked: own.revokedKey,
          expired: own.expiredKey,
        };
        const request = messages(own, own);
        const none = await send(protocol, method, request, { key: undefined, caller: undefined });
        expect([codeOf(protocol, none), wordsOf(none)]).toEqual(["UNAUTHENTICATED", expect.stringContaining("no API")]);
        const faces: Record<string, string> = {};
        for (const [name, key] of Object.entries(wrong)) {
          const answer = await send(protocol, method, request, { key, caller: undefined });
          expect([name, codeOf(protocol, answer)]).toEqual([name, "UNAUTHENTICATED"]);
          faces[name] = faceOf(answer);
        }
        // Byte for byte: a refusal does not tell which keys there are or were.
        for (const face of Object.values(faces)) expect(face).toEqual(faces["garbage"]);
      });

      test.each(scoped)("is one without the scope, which the answer names: %s", async (_, method, { messages }) => {
        const { scope } = getOption(method, access);
        const { playground } = town;
        for (const other of keyScopes.filter((candidate) => candidate !== scope)) {
          const given = { key: playground.keys[other], caller: playground };
          const answer = await send(protocol, method, messages(playground, playground), given);
          expect([other, codeOf(protocol, answer)]).toEqual([other, "PERMISSION_DENIED"]);
          expect(wordsOf(answer)).toContain(scope);
        }
      });

      test.each(scoped)("is none that has just the scope: %s", async (_, method, { messages, isOperators = false }) => {
        const { scope } = getOption(method, access);
        const { playground } = town;
        const key = playground.keys[keyScopes.find((candidate) => candidate === scope) ?? "read"];
        const answer = await send(protocol, method, messages(nobody, playground), { key, caller: playground });
        // Aimed at unused ids it finds nothing, but it was let in. The second of two equal workspaces is refused.
        const codes = isOperators ? ["PERMISSION_DENIED"] : ["OK", "NOT_FOUND", "ALREADY_EXISTS"];
        expect(codes).toContain(codeOf(protocol, answer));
      });
    });

    describe("a personal token", () => {
      test.each(scoped)("opens what its member's role says: %s", async (_, method, { messages }) => {
        const { scope } = getOption(method, access);
        const { playground } = town;
        for (const [role, scopes] of Object.entries(roleScopes)) {
          if (scopes.some((candidate) => candidate === scope)) continue;
          const key = playground.personalTokens[role as keyof typeof roleScopes];
          const answer = await send(protocol, method, messages(nobody, playground), { key, caller: playground });
          expect([role, codeOf(protocol, answer)]).toEqual([role, "PERMISSION_DENIED"]);
        }
        // One caller is allowed, so that the refusals of the others prove something.
        expect(roleScopes.owner).toContain(scope);
      });

      test.each(closed)("opens nothing once its member is removed or has signed out: %s", async (_, method, call) => {
        const { own } = town;
        const over = {
          unknown: own.removedToken.replace(/_[^_]{26}_/, `_${nobody.keyId}_`),
          "one character off": own.removedToken.replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
          "of a removed member": own.removedToken,
          "of a member who signed out": own.signedOutToken,
        };
        const faces: string[] = [];
        for (const [name, key] of Object.entries(over)) {
          const answer = await send(protocol, method, call.messages(own, own), { key, caller: undefined });
          expect([name, codeOf(protocol, answer)]).toEqual([name, "UNAUTHENTICATED"]);
          faces.push(faceOf(answer));
        }
        expect(new Set(faces).size).toBe(1);
      });

      test("opens no workspace of another organisation by its name in a header", async () => {
        const { own, stranger } = town;
        const method = methodNamed("DatasetService/ListDatasets");
        const key = own.personalTokens.owner;
        const look = async (workspace: string): Promise<string> => {
          const request = encodeCall(protocol, { method, messages: [{}], key });
          const headers = { ...request.headers, "x-workspace": workspace };
          const answer = await connections.send({ ...request, headers });
          expect(codeOf(protocol, answer)).toBe("NOT_FOUND");
          return faceOf(answer, workspace);
        };
        expect(await look(stranger.workspace)).toBe(await look(nobody.workspace));
        expect(await look("carlo-workspace")).toBe(await look("zzzzz-workspace"));
      });
    });

    describe("a foreign id", () => {
      const aimed = table.filter(([, , { takes }]) => takes !== undefined);

      test.each(aimed)("is answered like an unknown one, byte for byte: %s", async (_, method, methodCase) => {
        const { own, sibling, stranger } = town;
        const { takes, reach, messages } = methodCase;
        if (takes === undefined) throw new Error("there is nothing to aim");
        const look = async (target: Ids): Promise<string> => {
          const answer = await send(protocol, method, messages(target, own), { key: own.key, caller: own });
          const code = codeOf(protocol, answer);
          expect(code).toBe(getOption(method, access).public ? "PERMISSION_DENIED" : "NOT_FOUND");
          return faceOf(answer, target[takes]);
        };
        const unknown = await look(nobody);
        expect(await look(stranger)).toEqual(unknown);
        if (reach === undefined) expect(await look(sibling)).toEqual(unknown);
      });

      test("is one also where it is the name of a workspace", async () => {
        const method = methodNamed("WorkspaceService/CreateKey");
        const look = async (workspace: string): Promise<string> => {
          const answer = await send(protocol, method, [{ workspace }], { key: town.own.key, caller: town.own });
          return faceOf(answer, workspace);
        };
        expect(await look("carlo-workspace")).toEqual(await look("zzzzz-workspace"));
      });

      test("is found by its owner, so that there was something to find", async () => {
        const { stranger } = town;
        const given = { key: stranger.key, caller: stranger };
        for (const name of ["DatasetService/GetDataset", "ItemService/ListItems", "JobService/GetJob"] as const) {
          const answer = await send(
            protocol,
            methodNamed(name),
            cases[name]?.messages(stranger, stranger) ?? [],
            given,
          );
          expect([name, codeOf(protocol, answer)]).toEqual([name, "OK"]);
        }
        for (const name of ["JobService/WatchJob", "UploadService/GetUpload", "ShareService/ReadShare"] as const) {
          const answer = await send(
            protocol,
            methodNamed(name),
            cases[name]?.messages(stranger, stranger) ?? [],
            given,
          );
          expect([name, codeOf(protocol, answer)]).toEqual([name, "OK"]);
        }
      });
    });

    describe("a token", () => {
      test("opens no other tenant's dataset or item, nor does a key", async () => {
        const { own, sibling, stranger } = town;
        const method = methodNamed("ShareService/ReadShare");
        const attempts = [sibling, stranger].flatMap(({ dataset, item, key }) => [
          { id: dataset, token: own.datasetToken },
          { id: item, token: own.itemToken },
          { id: item, token: own.datasetToken },
          { id: dataset, token: own.key },
          { id: dataset, token: key },
        ]);
        const faces = await Promise.all(
          attempts.map(async (attempt) => {
            // The key of its owner does not help a token that is wrong.
            const answer = await send(protocol, method, [attempt], { key: stranger.key, caller: undefined });
            expect(codeOf(protocol, answer)).toBe("PERMISSION_DENIED");
            return faceOf(answer, attempt.id);
          }),
        );
        for (const face of faces) expect(face).toEqual(faces[0]);
      });
    });

    describe("lists and searches", () => {
      const everyone = (): readonly Tenant[] => [town.own, town.sibling, town.stranger];
      const apiOf = ({ key }: Tenant): Api =>
        protocol === "REST" ? restApi(town.server.url, key) : rpcApi(protocol, town.server.url, key);

      test("have what is the caller's, and their totals count nothing else", async () => {
        for (const tenant of everyone()) {
          const api = apiOf(tenant);
          for (const [method, ids] of [
            ["listDatasets", tenant.datasets],
            ["listJobs", tenant.jobs],
            ["listUploads", [tenant.upload]],
          ] as const) {
            const all = bodyOf(await api.call(method, { limit: 100 }));
            const listed = listAt(all, "data").map(({ id, key }) => String(id ?? key));
            expect([method, new Set(listed), all["total"]]).toEqual([method, new Set(ids), ids.length]);
            const past = bodyOf(await api.call(method, { limit: 100, offset: ids.length }));
            expect([method, past["data"], past["total"]]).toEqual([method, [], ids.length]);
          }
        }
      });

      test("find the same content in every workspace, each its own", async () => {
        for (const tenant of everyone()) {
          const found = bodyOf(await apiOf(tenant).call("listDatasets", { sha256: [town.sharedSha256], limit: 100 }));
          expect(found["total"]).toBe(1);
          expect(listAt(found, "data").map(({ id }) => id)).toEqual([tenant.datasets[1]]);
        }
      });

      test("search no other workspace, also for what only others have", async () => {
        for (const tenant of everyone()) {
          // Every page of every workspace would fit in the answer, so that only the border keeps any out of it.
          const text = everyone()
            .map(({ name }) => `${name} harbour ${name}ese lanterns, a circular letter`)
            .join(", ");
          const found = bodyOf(await apiOf(tenant).call("search", { query: { text }, limit: 100 }));
          const datasets = new Set(listAt(found, "data").map(({ datasetId }) => datasetId));
          expect(datasets).toEqual(new Set(tenant.datasets));
          expect(found["total"]).toBe(3);
        }
      });

      test("show an administrator the workspaces and keys of the organisation only", async () => {
        const { own, sibling, stranger } = town;
        const workspaces = listAt(bodyOf(await apiOf(own).call("listWorkspaces", {})), "data");
        expect(workspaces.map(({ id }) => id)).toEqual([own.workspace, sibling.workspace]);
        const keys = listAt(bodyOf(await apiOf(own).call("listKeys", {})), "data");
        expect(new Set(keys.map(({ workspaceId }) => workspaceId))).toEqual(
          new Set([own.workspace, sibling.workspace]),
        );
        expect(keys.map(({ id }) => id)).not.toContain(stranger.keyId);
        expect(keys.filter(({ key }) => key !== undefined)).toEqual([]);
      });
    });
  });

  describe("an idempotency key", () => {
    const start = { fileName: "keyed.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };

    /** Starts an upload; the key of its session, and whether that is an answer from before. */
    async function startUpload(
      path: string,
      { key }: Tenant,
      request: object = start,
    ): Promise<{ status: number; session: string; isReplayed: boolean }> {
      const response = await fetch(`${town.server.url}${path}`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": `shared:${path}` },
        body: JSON.stringify(request),
      });
      const text = await response.text();
      const isReplayed = response.headers.has("idempotency-replayed");
      return { status: response.status, session: /tmp_\w+/.exec(text)?.[0] ?? "", isReplayed };
    }

    test.each(["/v1/upload-session/start", "/drs.v1.UploadService/StartUpload"])(
      "is kept apart by workspace: %s",
      async (path) => {
        const tenants = [town.own, town.sibling, town.stranger];
        const sessions: string[] = [];
        for (const tenant of tenants) {
          // The same key with another request would be refused in a workspace that has used it.
          const first = await startUpload(path, tenant, { ...start, fileName: `${tenant.name}.pdf` });
          expect(first).toMatchObject({ status: 200, isReplayed: false });
          sessions.push(first.session);
        }
        expect(new Set(sessions).size).toBe(tenants.length);
        for (const [index, tenant] of tenants.entries()) {
          const again = await startUpload(path, tenant, { ...start, fileName: `${tenant.name}.pdf` });
          expect(again).toEqual({ status: 200, session: sessions[index], isReplayed: true });
          expect(await startUpload(path, tenant)).toMatchObject({ session: "", isReplayed: false });
          await createDrs({ server: town.server.url, apiKey: tenant.key }).uploads.abort(again.session);
        }
      },
    );
  });

  test("what the service says about itself names no tenant", async () => {
    const secrets = [town.own, town.sibling, town.stranger, town.playground].flatMap((tenant) => tenant.secrets);
    for (const path of ["/healthz", "/readyz", "/metrics", "/v1/openapi.json", "/docs"]) {
      const text = await (await fetch(`${town.server.url}${path}`)).text();
      expect([path, secrets.filter((secret) => text.includes(secret))]).toEqual([path, []]);
    }
  });

  test("all that was tried has left the others as they were", async () => {
    expect(await Promise.all([town.sibling, town.stranger].map(possessions))).toEqual(before);
  });
});

function methodNamed(name: string): DescMethod {
  const method = methods.find((candidate) => nameOf(candidate) === name);
  if (method === undefined) throw new Error(`the contract has no ${name}`);
  return method;
}

const isAdministration = (method: DescMethod): boolean =>
  ["WorkspaceService", "MemberService", "OrganisationService"].includes(method.parent.name);

/** All of an answer that a caller can see but the moment, its request's id, and the id that it is about. */
function faceOf({ status, headers, trailers, body }: HttpAnswer, id = "no id"): string {
  const lasting = Object.entries(headers).filter(([name]) => name !== "date" && name !== "x-request-id");
  const text = JSON.stringify([status, lasting, trailers, body.toString("latin1")]);
  return text.replace(statusDetails, decodeStatus).replaceAll(id, "ID");
}

/** The status of gRPC with its message and details: protobuf in base64, in a trailer or in the body of gRPC-Web. */
const statusDetails = /(grpc-status-details-bin[": ,]+)([\w+/]+=*)/gu;
const decodeStatus = (_: string, name: string, base64: string): string =>
  name + Buffer.from(base64, "base64").toString("latin1");
