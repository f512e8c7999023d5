import {
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { IfExists } from "@drs/client/gen/drs/v1/enums_pb";
import { DatasetService } from "@drs/client/gen/drs/v1/datasets_pb";
import { JobService, WatchJobResponseSchema } from "@drs/client/gen/drs/v1/jobs_pb";
import { type ShareContent, ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { UploadService } from "@drs/client/gen/drs/v1/uploads_pb";
import { ErrorInfoSchema } from "@drs/client/gen/google/rpc/error_details_pb";
import { type Api, type Outcome, methods, type Part, type Refusal, type Upload, type Version } from "./api.ts";

/** The API over Connect (JSON, so that the JSON form is tried as well), gRPC or gRPC-Web. */
export function rpcApi(protocol: "Connect" | "gRPC" | "gRPC-Web", baseUrl: string, apiKey: string): Api {
  const withKey = (key: string | null | undefined, workspace?: string, idempotencyKey?: string): Transport => {
    const interceptors: Interceptor[] = [
      (next) => (request) => {
        if (key !== null) request.header.set("x-api-key", key ?? apiKey);
        if (idempotencyKey !== undefined) request.header.set("idempotency-key", idempotencyKey);
        if (workspace !== undefined) request.header.set("x-workspace", workspace);
        return next(request);
      },
    ];
    if (protocol === "Connect")
      return createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors, useBinaryFormat: false });
    if (protocol === "gRPC-Web") return createGrpcWebTransport({ baseUrl, httpVersion: "1.1", interceptors });
    return createGrpcTransport({ baseUrl, interceptors });
  };

  return {
    protocol,
    async call(name, request, { key, workspace, idempotencyKey } = {}) {
      const method: DescMethodUnary = methods[name];
      return attempt(method.output, async () => {
        const input = fromJson(method.input, numberUnknownEnums(method.input, request));
        const transport = withKey(key, workspace, idempotencyKey);
        const { message } = await transport.unary(method, undefined, undefined, undefined, input);
        return message;
      });
    },
    async upload(name, upload, { key, idempotencyKey } = {}) {
      const client = createClient(DatasetService, withKey(key, undefined, idempotencyKey));
      const { output } = DatasetService.method[name];
      return attempt(output, () => client[name](pieces(upload)));
    },
    async replace(id, version, { key, idempotencyKey } = {}) {
      const client = createClient(DatasetService, withKey(key, undefined, idempotencyKey));
      return attempt(DatasetService.method.replaceFile.output, () => client.replaceFile(versionPieces(id, version)));
    },
    async appendPart(part, { key } = {}) {
      const client = createClient(UploadService, withKey(key));
      return attempt(UploadService.method.appendPart.output, () => client.appendPart(partPieces(part)));
    },
    async watch(id, { afterRevision = "", key } = {}) {
      return orRefusal(async () => {
        const states: JsonObject[] = [];
        for await (const state of createClient(JobService, withKey(key)).watchJob({ id, afterRevision })) {
          states.push(toJson(WatchJobResponseSchema, state, { alwaysEmitImplicit: true }) as JsonObject);
        }
        return { ok: true, states };
      });
    },
    async readShare(id, token) {
      return orRefusal(async () => {
        const chunks: Uint8Array[] = [];
        let described: ShareContent | undefined;
        for await (const { content, chunk } of createClient(ShareService, withKey(null)).readShare({ id, token })) {
          described ??= content;
          chunks.push(chunk);
        }
        if (described === undefined) throw new Error("the stream does not say what it carries");
        const { contentType, fileName, size, etag } = described;
        return { ok: true, contentType, fileName, size, etag, bytes: Buffer.concat(chunks) };
      });
    },
  };
}

async function* pieces({ file, fileName, url, expiresInDays, metadata, callbackUrl, ifExists, sha256 }: Upload) {
  const choices: Readonly<Record<string, IfExists>> = { create: IfExists.CREATE, return: IfExists.RETURN };
  // Stands for a word that there is not.
  const unknownNumber: IfExists = JSON.parse("99");
  if (ifExists !== undefined) yield { ifExists: choices[ifExists] ?? unknownNumber };
  if (sha256 !== undefined) yield { sha256 };
  if (callbackUrl !== undefined) yield { callbackUrl };
  if (file !== undefined) yield { fileName: fileName ?? "file.pdf" };
  if (url !== undefined) yield { url };
  if (expiresInDays !== undefined) yield { expiresInDays };
  if (metadata !== undefined) yield { metadata };
  for (let start = 0; start < (file?.length ?? 0); start += 60_000) {
    yield { file: file?.subarray(start, start + 60_000) ?? new Uint8Array() };
  }
}

async function* versionPieces(id: string, { vectorize, ...upload }: Version) {
  yield { id, ...(vectorize !== undefined && { vectorize }) };
  const { file, fileName = "file.pdf", url, sha256 } = upload;
  if (sha256 !== undefined) yield { sha256 };
  yield url === undefined ? { fileName } : { url };
  for (let start = 0; start < (file?.length ?? 0); start += 60_000) {
    yield { file: file?.subarray(start, start + 60_000) ?? new Uint8Array() };
  }
}

async function* partPieces({ file, bytesFirst = false, key, partNumber, checksum }: Part) {
  const said = { ...(key && { key }), ...(partNumber && { partNumber }), ...(checksum && { checksum }) };
  if (!bytesFirst) yield said;
  for (let start = 0; start < file.length; start += 500_000) yield { file: file.subarray(start, start + 500_000) };
  if (bytesFirst) yield said;
}

function attempt(output: DescMessage, call: () => Promise<Message>): Promise<Outcome> {
  return orRefusal(async () => ({
    ok: true,
    body: toJson(output, await call(), { alwaysEmitImplicit: true }) as JsonObject,
  }));
}

async function orRefusal<Success extends { readonly ok: true }>(
  call: () => Promise<Success>,
): Promise<Success | Refusal> {
  try {
    return await call();
  } catch (cause) {
    if (!(cause instanceof ConnectError)) throw cause;
    const code = (Code[cause.code] ?? "").replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
    const requestId = cause.metadata.get("x-request-id") ?? "";
    const reason = cause.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
    return { ok: false, code, message: cause.rawMessage, requestId, reason };
  }
}

/** A word that an enum does not have cannot be sent in binary; an unknown number stands for it. */
function numberUnknownEnums(desc: DescMessage, json: JsonObject): JsonObject {
  const entries = Object.entries(json).map(([name, value]): [string, JsonValue] => {
    const field = desc.fields.find((candidate) => candidate.jsonName === name);
    if (field?.message !== undefined && typeof value === "string") return [name, { text: value }];
    const names = field?.enum?.values.map((candidate) => candidate.jsonName ?? candidate.name);
    if (names === undefined) return [name, value];
    const known = (word: JsonValue): JsonValue => (names.includes(String(word)) ? word : 99);
    return [name, Array.isArray(value) ? value.map(known) : known(value)];
  });
  return Object.fromEntries(entries);
}
