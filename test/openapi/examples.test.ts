import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { objectOf } from "../contract/rest/client.ts";
import { onePage } from "../contract/world.ts";
import { type FileServer, file, startFileServer } from "../fixtures/file-server.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { createBelongings } from "./belongings.ts";
import { fetchDocument, type OpenApiDocument } from "./document.ts";
import { misfits } from "./misfits.ts";
import { namesNothing, placing } from "./placeholders.ts";
import { type ExampleRequest, requestsOf } from "./requests.ts";

const pdf = new Blob([onePage], { type: "application/pdf" });

/** Stands for the sites that documents are fetched from. */
let files: FileServer;
let server: TestServer;
let document: OpenApiDocument;
beforeAll(async () => {
  files = await startFileServer({ "/report.pdf": file(onePage) });
});
beforeEach(async () => {
  server = await startServer({ urlAllow: "127.0.0.1" });
  document = await fetchDocument(server.url);
});
afterEach(() => server.remove());
afterAll(() => files.close());

interface Answered {
  /** Which request, and what came of it, to be read in a failure. */
  readonly said: string;
  readonly status: number;
  readonly json: unknown;
  readonly misfits: readonly string[];
}

async function send(request: ExampleRequest, credential = server.credentials.apiKey): Promise<Answered> {
  const { operation, path, headers, body, mediaType = "no body" } = request;
  const response = await fetch(`${server.url}${path}`, {
    method: operation.verb,
    // Browsers sign in from pages of the service's own alone.
    headers: { "x-api-key": credential, ...(operation.id === "signIn" && { "x-drs-console": "1" }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const { status } = response;
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const text = await response.text();
  const json: unknown = type === "application/json" ? JSON.parse(text) : undefined;
  const said = `${operation.id} with ${mediaType}: ${status} ${type === "application/json" ? text : type}`;
  const described = document.resolve(operation.answers[status] ?? {});
  const content = objectOf(described["content"] ?? {});
  if (content[type] === undefined) return { said, status, json, misfits: [`not described: ${said}`] };
  const schema = objectOf(content[type])["schema"];
  return { said, status, json, misfits: json === undefined ? [] : misfits(document, schema, json, operation.id) };
}

describe("a fresh server", () => {
  /** A personal token is asked for, or the secret of a link or an invitation. */
  const otherRefusals: Readonly<Record<string, number>> = {
    signOut: 400,
    endToken: 404,
    linkIdentity: 403,
    unlinkIdentities: 400,
    readShare: 403,
    showInvitation: 403,
    acceptInvitation: 403,
    signIn: 403,
    pollDevice: 403,
    getDevice: 404,
    approveDevice: 400,
    denyDevice: 400,
  };

  // What one way creates under a name is in the way of the next.
  test.each([
    ["first", 0],
    ["second", 1],
  ])(
    "takes every example as it stands, in the %s way to send a body",
    async (_, nth) => {
      const place = placing({ site: files.url });
      const wrong: string[] = [];
      let count = 0;
      for (const operation of document.operations) {
        const request = requestsOf(document, operation, { everything: false, place, file: pdf })[nth];
        if (request === undefined) continue;
        count += 1;
        const isMissing = namesNothing(request.path, request.body);
        const wanted = otherRefusals[operation.id] ?? (isMissing ? 404 : 200);
        const answer = await send(request);
        wrong.push(...answer.misfits, ...(answer.status === wanted ? [] : [`not ${wanted}: ${answer.said}`]));
      }
      expect(wrong).toEqual([]);
      expect(count).toBeGreaterThan(nth === 0 ? 45 : 10);
    },
    180_000,
  );
});

describe.each([
  ["what is needed", false],
  ["everything that may be said", true],
])("with ids of the caller's own and %s", (_, everything) => {
  test("every example succeeds, and is answered as it is described", async () => {
    const belongings = await createBelongings(server, files.url);
    const wrong: string[] = [];
    for (const operation of document.operations) {
      const requests = (place: (text: string) => string): ExampleRequest[] =>
        requestsOf(document, operation, { everything, place, file: pdf });
      for (const nth of requests(String).keys()) {
        const request = requests(placing(await belongings.forOperation(operation.id)))[nth];
        if (request === undefined) throw new Error(`${operation.id} is not always sent in as many ways`);
        const token = ofMembers.has(operation.id) ? await personalToken() : undefined;
        const own = token !== undefined && operation.id === "endToken" ? endOf(request, token) : request;
        const answer = await send(own, token);
        // There is no provider to go on with, nor is this a page of the console.
        const isRight = operation.id === "linkIdentity" ? answer.status === 403 : answer.status < 300;
        wrong.push(...answer.misfits, ...(isRight ? [] : [answer.said]));
      }
    }
    expect(wrong).toEqual([]);
  }, 180_000);
});

/** Operations for members, not for API keys. */
const ofMembers = new Set(["signOut", "approveDevice", "denyDevice", "endToken", "unlinkIdentities"]);

/** The request that ends the token itself. */
const endOf = (request: ExampleRequest, token: string): ExampleRequest => ({
  ...request,
  path: `/v1/me/tokens/${token.split("_")[1]}`,
});

async function personalToken(): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { "x-api-key": server.credentials.apiKey, "content-type": "application/json" };
    const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return objectOf(objectOf(await response.json())["data"]);
  };
  const { token } = await post("/v1/admin/invitations", { name: "Ada", role: "member" });
  return String((await post("/v1/invitations/accept", { token }))["token"]);
}
