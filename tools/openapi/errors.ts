import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { access, rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import type { ErrorReason } from "../../server/domain/errors.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import type { Json } from "./rules.ts";

export function errorsOf(method: DescMethod): Json {
  const isPublic = getOption(method, access).public;
  const hasBody = getOption(method, http).body !== "";
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const { raw, creates } = getOption(method, rest);
  const statuses = [
    400,
    // The header x-workspace may name a workspace that does not exist.
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
  description: "An error.",
  required: ["success", "error", "code", "reason"],
  properties: {
    success: { type: "boolean", const: false },
    error: {
      type: "string",
      description: "A sentence that describes the error and, if there is one, the next step.",
      examples: ['there is no dataset "ds_01example00000000000000000" in this workspace'],
    },
    code: {
      type: "string",
      description: "The Connect error code in upper case, such as NOT_FOUND.",
      examples: ["NOT_FOUND"],
    },
    reason: {
      type: "string",
      description:
        "The reason in capitals, by which programs distinguish errors, such as DATASET_NOT_FOUND; equal to the code if an error has no reason of its own. Over Connect and gRPC it is sent as a google.rpc.ErrorInfo.",
      examples: ["DATASET_NOT_FOUND"],
    },
    next: {
      type: "string",
      description: "The next step for a person, if there is one in addition to the sentence in `error`.",
      examples: ["drs datasets list and drs jobs list show the existing ids"],
    },
  },
};

const retryAfter: Json = {
  "Retry-After": { description: "Seconds until the next try.", schema: { type: "integer", minimum: 0, examples: [2] } },
};

const contentRange: Json = {
  "Content-Range": {
    description: "The total number of bytes.",
    schema: { type: "string", examples: ["bytes */218344"] },
  },
};

interface ErrorAnswer {
  readonly description: string;
  readonly code: string;
  /** Default: the code. */
  readonly reason?: ErrorReason;
  /** An example of the service's sentence. */
  readonly error: string;
  readonly headers?: Json;
}

const answers: Readonly<Record<number, ErrorAnswer>> = {
  400: {
    description: "The request is not valid.",
    code: "INVALID_ARGUMENT",
    error: "datasetId is not a field of this request; did you mean datasetIds?",
  },
  401: {
    description: "The API key or personal token is missing or unknown.",
    code: "UNAUTHENTICATED",
    error: "this request has no API key; send one in the x-api-key header",
  },
  403: {
    description: "The API key lacks the scope, or the link is not valid or has expired.",
    code: "PERMISSION_DENIED",
    reason: "LINK_INVALID",
    error: "this link is not valid or has expired; ask for a new one",
  },
  404: {
    description: "The workspace has nothing with that id, or the workspace does not exist.",
    code: "NOT_FOUND",
    reason: "DATASET_NOT_FOUND",
    error: 'there is no dataset "ds_01example00000000000000000" in this workspace',
  },
  408: {
    description: "The body arrived too slowly.",
    code: "DEADLINE_EXCEEDED",
    error: "the request came too slowly",
  },
  409: {
    description: "The request conflicts with the current state.",
    code: "ALREADY_EXISTS",
    reason: "CONFLICT",
    error: "job dsj_01example00000000000000000 has no failed pages; there is nothing to run again",
  },
  412: {
    description: "The bytes have changed since the version that the request names.",
    code: "FAILED_PRECONDITION",
    error: "the content is no longer what the request is about",
  },
  413: {
    description: "The upload or the body is too large.",
    code: "RESOURCE_EXHAUSTED",
    reason: "TOO_LARGE",
    error: "a JSON body may have at most 32 MB",
  },
  415: {
    description: "The type of the content is not supported.",
    code: "INVALID_ARGUMENT",
    reason: "UNSUPPORTED",
    error: "Content-Type text/plain is not supported here; send application/json",
  },
  416: {
    description: "The content does not have that range.",
    code: "OUT_OF_RANGE",
    error: "the content has 218344 bytes; ask for a range of them",
    headers: contentRange,
  },
  422: {
    description:
      "The stored document cannot provide the requested content, or the Idempotency-Key was used with a different body.",
    code: "FAILED_PRECONDITION",
    reason: "UNPROCESSABLE",
    error: "page 12 shows nothing that the model could embed",
  },
  429: {
    description: "Too many requests; try again after the time in Retry-After.",
    code: "RESOURCE_EXHAUSTED",
    reason: "RATE_LIMITED",
    error: "these are more than the 600 requests a minute of your plan or key; try again in 2 seconds",
    headers: retryAfter,
  },
  500: {
    description:
      "A defect of the service. The sentence contains the request id, which identifies the cause in the log of the server.",
    code: "INTERNAL",
    error:
      "something went wrong inside the server; its log says more under the request id req_01example00000000000000000",
  },
  503: {
    description: "The server is starting, stopping or overloaded; try again after the time in Retry-After.",
    code: "UNAVAILABLE",
    error: "the server is processing as many requests as it can; try again soon",
    headers: retryAfter,
  },
  507: {
    description:
      "The disk of the service is full. Nothing of the request was stored; try again when there is free space.",
    code: "RESOURCE_EXHAUSTED",
    reason: "STORAGE_FULL",
    error: "the disk of the server's data folder is full; delete what is not needed, or have its operator make room",
  },
};

export const errorResponses: Json = Object.fromEntries(
  Object.entries(answers).map(([status, { description, code, reason = code, error, headers }]) => [
    status,
    {
      description,
      ...(headers === undefined ? {} : { headers }),
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Error" },
          example: { success: false, error, code, reason },
        },
      },
    },
  ]),
);
