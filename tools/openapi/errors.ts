import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { access, rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import type { Json } from "./schemas.ts";

export function errorsOf(method: DescMethod): Json {
  const isPublic = getOption(method, access).public;
  const hasBody = getOption(method, http).body !== "";
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const { raw, creates } = getOption(method, rest);
  const statuses = [
    400,
    // The header x-workspace may name a workspace that there is not.
    ...(isPublic ? [403] : [401, 403, 404]),
    ...(isRead ? [] : [409]),
    ...(hasBody ? [408, 413, 415] : []),
    ...(raw || creates ? [422] : []),
    429,
    500,
    503,
    ...(hasBody && !isRead ? [507] : []),
  ];
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

export const errorSchema: Json = {
  type: "object",
  description: "What went wrong.",
  required: ["success", "error", "code"],
  properties: {
    success: { type: "boolean", const: false },
    error: {
      type: "string",
      description: "A sentence that says what is wrong and, where there is one, the next step.",
      examples: ["there is no dataset ds_01example00000000000000000 in this workspace"],
    },
    code: {
      type: "string",
      description: "The Connect error code in upper case, such as NOT_FOUND.",
      examples: ["NOT_FOUND"],
    },
  },
};

const retryAfter: Json = {
  "Retry-After": { description: "Seconds until the next try.", schema: { type: "integer", minimum: 0, examples: [2] } },
};

const headers: Readonly<Record<string, Json>> = {
  416: {
    "Content-Range": {
      description: "How many bytes there are.",
      schema: { type: "string", examples: ["bytes */218344"] },
    },
  },
  429: retryAfter,
  503: retryAfter,
};

export const errorResponses: Json = Object.fromEntries(
  Object.entries({
    400: "The request is not valid.",
    401: "The API key or personal token is missing or unknown.",
    403: "The API key lacks the scope, or the link is not valid or has expired.",
    404: "There is nothing of that id in the workspace, or no such workspace.",
    408: "The body came too slowly.",
    409: "The request does not fit the present state.",
    412: "The bytes are no longer those that the request is about.",
    413: "The upload or the body is too large.",
    415: "The content is of a kind that is not supported.",
    416: "The content does not have that range.",
    422: "The stored document cannot give what is asked for, or the Idempotency-Key came with another body.",
    429: "Too many requests; try again after the time in Retry-After.",
    500: "A bug; the sentence names the request id to look for in the log.",
    503: "The server is starting, stopping or overloaded; try again after the time in Retry-After.",
    507: "The disk of the service is full; nothing of the request was kept. Try again when there is room.",
  }).map(([status, description]) => [
    status,
    {
      description,
      ...(headers[status] === undefined ? {} : { headers: headers[status] }),
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    },
  ]),
);
