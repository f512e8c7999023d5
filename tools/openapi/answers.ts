import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import { exampleOf, exampleOfMessage } from "./examples.ts";
import type { Json } from "./rules.ts";
import { comment, type Schemas } from "./schemas.ts";

/** Returns the successful answers of a method, by status. */
export function answersOf(method: DescMethod, schemas: Schemas): Json {
  if (getOption(method, rest).raw) return shareAnswers;
  if (method.methodKind === "server_streaming") return { 200: events(method) };
  const schema = answerSchema(method, schemas);
  return { 200: { description: comment(method.output), content: { "application/json": { schema } } } };
}

function answerSchema(method: DescMethod, schemas: Schemas): Json {
  const { envelope, withoutTotal } = getOption(method, rest);
  const { responseBody } = getOption(method, http);
  const field = method.output.fields.find(({ name }) => name === responseBody);
  const data = schemas.ofMessage(field?.message ?? method.output);
  if (!envelope) return data;
  const success = { type: "boolean", const: true };
  if (field === undefined) {
    return { allOf: [{ type: "object", required: ["success"], properties: { success } }, data] };
  }
  const total = withoutTotal ? {} : { total: { type: "integer", const: 1 } };
  const properties = { success, ...total, data };
  return { type: "object", required: Object.keys(properties), properties };
}

/** Describes server-sent events (HTML, section 9.2) in text, since OpenAPI 3.1 cannot describe single events. */
function events(method: DescMethod): Json {
  const { eventId } = getOption(method, rest);
  const { responseBody } = getOption(method, http);
  const data = method.output.fields.find(({ name }) => name === responseBody);
  const id = method.output.fields.find(({ name }) => name === eventId);
  const last = id && exampleOf(id);
  if (data?.message === undefined || typeof last !== "string") throw new Error(`${method.name} has no events`);
  const type = data.message.name;
  const description = [
    `Server-sent events. The \`data\` of each is one ${type} as JSON; its \`id\` is the value for \`Last-Event-ID\`.`,
    "Lines that begin with a colon keep the connection alive.",
    "If the stream fails after its first event, its last event is `event: error`, and the data is an Error.",
  ].join(" ");
  const example = `id: ${last}\ndata: ${JSON.stringify(exampleOfMessage(data.message))}\n\n`;
  return {
    description,
    content: {
      "text/event-stream": { schema: { type: "string", description: `Events with one ${type} each.` }, example },
    },
  };
}

const bytes: Json = { type: "string", format: "binary" };

const openXml = "application/vnd.openxmlformats-officedocument";

const embedding: Json = {
  type: "object",
  description: "The embedding of a page.",
  required: ["model", "dimensions", "values"],
  properties: {
    model: { type: "string", description: "The model pack that created it.", examples: ["builtin@1.0.0"] },
    dimensions: { type: "integer", minimum: 1, description: "Number of values.", examples: [3] },
    values: {
      type: "array",
      items: { type: "number" },
      description: "The values.",
      examples: [[0.0421, -0.0132, 0.0871]],
    },
  },
};

const kinds: Json = {
  "image/jpeg": { schema: bytes },
  "application/pdf": { schema: bytes },
  [`${openXml}.wordprocessingml.document`]: { schema: bytes },
  [`${openXml}.presentationml.presentation`]: { schema: bytes },
  [`${openXml}.spreadsheetml.sheet`]: { schema: bytes },
  "application/json": { schema: { $ref: "#/components/schemas/Embedding" } },
  "application/octet-stream": { schema: bytes },
};

/** The contents of a range request. A range of the JSON of an embedding is not JSON itself. */
const parts: Json = { ...kinds, "application/json": { schema: bytes } };

const header = (description: string, example: string): Json => ({
  description,
  schema: { type: "string", examples: [example] },
});

const validators: Json = {
  ETag: header("Changes when the bytes change.", '"9f86d081884c7d65-44-jpg"'),
  "Last-Modified": header("When the bytes were created.", "Sat, 21 Nov 2026 10:37:45 GMT"),
  "Accept-Ranges": header("The unit of ranges.", "bytes"),
};

const sent: Json = {
  ...validators,
  "Content-Disposition": header(
    "The name to save the bytes under.",
    "inline; filename=\"octave-page-44.jpg\"; filename*=UTF-8''octave-page-44.jpg",
  ),
};

export const shareSchemas: Json = { Embedding: embedding };

/** Answers that contain an item or an uploaded document, in its media type. */
const shareAnswers: Json = {
  200: {
    description:
      "All bytes. Items: `jpg` is image/jpeg, `pdf` is application/pdf, `embedding_image` is JSON, or, if the Accept header prefers application/octet-stream, 32-bit floats in little-endian order. Datasets: the uploaded document with its own media type.",
    headers: sent,
    content: kinds,
  },
  206: {
    description: "The requested range of bytes.",
    headers: {
      ...sent,
      "Content-Range": header("The range of the bytes, and their total number.", "bytes 0-1023/218344"),
    },
    content: parts,
  },
  304: { description: "The bytes have not changed; there is no body.", headers: validators },
  412: { $ref: "#/components/responses/412" },
  416: { $ref: "#/components/responses/416" },
};
