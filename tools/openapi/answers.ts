import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import { exampleOf, exampleOfMessage } from "./examples.ts";
import { comment, type Schemas } from "./schemas.ts";
import type { Json } from "./json.ts";
import { shareAnswers } from "./share-answers.ts";

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
    `Server-sent events. The \`data\` of each is one ${type} as JSON, its \`id\` is what \`Last-Event-ID\` takes.`,
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
