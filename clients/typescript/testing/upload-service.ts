import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen, type Listening } from "./service.ts";
import { type Fault, type Once, type TakenDocument, type TestSession, uploadRoutes } from "./upload-sessions.ts";

export type { Fault } from "./upload-sessions.ts";

export interface UploadTestService extends Listening {
  /** All requests in order: `start`, `append 3`, `end`, `get`, `abort`, `whole`. */
  readonly requests: readonly string[];
  readonly taken: readonly TakenDocument[];
  /** The idempotency keys of the documents that were sent in one request, in order. */
  readonly keys: readonly string[];
  /** Sessions by key. */
  readonly sessions: Map<string, TestSession>;
  /** Returns the maximum number of concurrent forms. */
  maxAtOnce(): number;
  /** Returns the number of connections used for forms. */
  connections(): number;
}

interface UploadServiceOptions {
  /** The fault of the nth request with that name. A call can only fail with a response. */
  readonly fault?: (request: string, nth: number) => Fault;
  /** The checksum that the service claims to have received. */
  readonly etagOf?: (sha256: string) => string;
}

/** Starts a service that accepts documents whole and in parts, keeps them in memory, and fails on demand. */
export async function uploadService({
  fault = () => undefined,
  etagOf = (sha256) => sha256,
}: UploadServiceOptions = {}): Promise<UploadTestService> {
  const requests: string[] = [];
  const taken: TakenDocument[] = [];
  const sessions = new Map<string, TestSession>();
  const keys: string[] = [];
  const once = onceByKey();
  const sockets = new Set<unknown>();
  let atOnce = 0;
  let maxAtOnce = 0;
  const meet = (request: string): Fault => {
    requests.push(request);
    return fault(request, requests.filter((name) => name === request).length);
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, url: path = "", headers } = request;
    sockets.add(socket);
    atOnce += 1;
    maxAtOnce = Math.max(maxAtOnce, atOnce);
    const form = await formOf(request).finally(() => {
      atOnce -= 1;
    });
    const isPart = path === "/v1/upload-session/append";
    const met = meet(isPart ? `append ${form.fields["partNumber"]}` : "whole");
    const key = headers["idempotency-key"]?.toString();
    if (!isPart) keys.push(key ?? "");
    if (met === "hang") return;
    if (met === "break") return void socket.destroy();
    if (met === undefined || met === "break-after") {
      const data = isPart ? append(form) : once(key, () => take(form, path, headers["content-length"]));
      if (met === "break-after") socket.destroy();
      else respond(response, data === undefined ? 404 : 200, { success: data !== undefined, data });
    } else respond(response, met.status, { success: false, error: met.error ?? "a fault" }, met.headers);
  }

  const append = ({ fields, bytes }: Form): object | undefined => {
    const sha256 = sha256Of(bytes);
    if (fields["checksum"] !== sha256) throw new Error("the part came without its checksum");
    const part = { partNumber: Number(fields["partNumber"]), etag: etagOf(sha256), bytes };
    const session = sessions.get(fields["key"] ?? "");
    session?.parts.set(part.partNumber, part);
    return session && { etag: part.etag, partNumber: part.partNumber, size: bytes.length };
  };
  const take = ({ fields, fileName, bytes }: Form, path: string, length: string | undefined): object => {
    const contentLength = length === undefined ? undefined : Number(length);
    const jobType = path.slice("/v1/".length);
    taken.push({ way: "whole", fileName, jobType, fields, bytes, contentLength });
    const id = String(taken.length);
    return { id: `dsj_${id}`, datasetId: `ds_${id}`, type: "datasets/extract", status: "IN_PROGRESS", createdAt: 7 };
  };
  const serveLoudly = (request: IncomingMessage, response: ServerResponse): void => {
    // A client that disconnects in the middle of its form gets no response.
    serve(request, response).catch(
      (cause: unknown) => request.destroyed || respond(response, 500, { error: String(cause) }),
    );
  };
  const service = await listen(uploadRoutes({ meet, taken, sessions, once }), serveLoudly);
  return { ...service, requests, taken, keys, sessions, maxAtOnce: () => maxAtOnce, connections: () => sockets.size };
}

/** Runs requests with a new key; known keys get the same response as before. */
function onceByKey(answers = new Map<string, object>()): Once {
  return (key, run) => {
    const answer = (key === undefined ? undefined : answers.get(key)) ?? run();
    if (key !== undefined) answers.set(key, answer);
    return answer;
  };
}

interface Form {
  readonly fields: Readonly<Record<string, string>>;
  /** Empty if there is no file. */
  readonly fileName: string;
  readonly bytes: Buffer;
}

async function formOf(request: IncomingMessage): Promise<Form> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const form = await new Response(Buffer.concat(pieces), { headers }).formData();
  const fields = [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  const file = form.get("file");
  return {
    fields: Object.fromEntries(fields),
    fileName: file instanceof File ? file.name : "",
    bytes: file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.of(),
  };
}

function respond(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
