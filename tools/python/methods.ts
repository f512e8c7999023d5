import { type DescEnum, type DescField, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import { bindingOf } from "../openapi/operations.ts";
import { heldBy } from "../openapi/schemas.ts";
import { constantName } from "./text.ts";

/** Whether a method serves bytes with its own handler. */
export const isRaw = (method: DescMethod): boolean => getOption(method, rest).raw;

/** Whether a method takes a file in a form, for which the client has handwritten code. */
export const isUpload = (method: DescMethod): boolean => getOption(method, rest).file !== "";

/** Returns the field that is the whole answer over REST; undefined if all fields are. */
function bodyField(method: DescMethod): DescField | undefined {
  const { responseBody } = getOption(method, http);
  return method.output.fields.find(({ name }) => name === responseBody);
}

/** Returns the message that a method answers with; undefined if the answer is empty. */
export function answerOf(method: DescMethod): DescMessage | undefined {
  const answer = bodyField(method)?.message ?? method.output;
  return answer.fields.length === 0 ? undefined : answer;
}

/** Returns the table of all methods of the REST interface. */
export function methodTable(methods: readonly DescMethod[]): string {
  const rows = methods.filter((method) => !isRaw(method)).map(row);
  return `"""The methods of the REST interface. Generated from the definitions in proto/; not to be edited."""

from drs_client.methods import Method

${rows.join("\n")}
`;
}

function row(method: DescMethod): string {
  const { verb, path } = bindingOf(method);
  const { envelope, creates } = getOption(method, rest);
  const facts = [
    `verb="${verb.toUpperCase()}"`,
    `path="${path}"`,
    ...(getOption(method, http).body === "" ? [] : ["has_body=True"]),
    ...(envelope && bodyField(method) !== undefined ? ["in_data=True"] : []),
    ...(creates ? ["creates=True"] : []),
    ...(method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? ["is_safe=True"] : []),
  ];
  const line = `${constantName(method.name)} = Method(${facts.join(", ")})`;
  return line.length <= 120 ? line : `${constantName(method.name)} = Method(\n    ${facts.join(", ")}\n)`;
}

/** The messages and enums that become classes of the Python client. */
export interface Messages {
  /** Sorted by name, but each after the messages that it contains. */
  readonly messages: readonly DescMessage[];
  readonly enums: readonly DescEnum[];
  /** Full names of the messages that are written into requests. */
  readonly asked: ReadonlySet<string>;
  /** Full names of the messages that are read out of answers. */
  readonly answered: ReadonlySet<string>;
}

/**
 * Returns the messages in requests and answers. Requests themselves have no class, because their fields are parameters. An answer
 * with a single field is replaced by that field.
 */
export function messagesOf(methods: readonly DescMethod[]): Messages {
  const byName = new Map<string, DescMessage>();
  const enums = new Map<string, DescEnum>();
  const asked = new Set<string>();
  const answered = new Set<string>();
  const collect = (message: DescMessage): void => {
    if (byName.has(message.typeName) || message.typeName.startsWith("google.protobuf.")) return;
    byName.set(message.typeName, message);
    for (const field of message.fields) {
      if (field.enum !== undefined) enums.set(field.enum.typeName, field.enum);
      if (field.message !== undefined) collect(field.message);
    }
  };
  for (const method of methods.filter((one) => !isRaw(one))) {
    const answer = answerOf(method);
    if (answer !== undefined) {
      collect(answer);
      heldBy(answer, answered);
    }
    if (isUpload(method)) continue;
    for (const field of method.input.fields) {
      if (field.enum !== undefined) enums.set(field.enum.typeName, field.enum);
      if (field.message === undefined) continue;
      collect(field.message);
      heldBy(field.message, asked);
    }
  }
  const sorted = <Desc extends { readonly name: string }>(all: Iterable<Desc>): Desc[] =>
    [...all].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { messages: sorted(byName.values()), enums: sorted(enums.values()), asked, answered };
}
