import { type DescField, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import { bindingOf } from "../openapi/operations.ts";
import { constantName } from "./names.ts";

/** Whether a method serves bytes with its own handler. */
export const isRaw = (method: DescMethod): boolean => getOption(method, rest).raw;

/** Whether a method takes a file in a form, for which the client has handwritten code. */
export const isUpload = (method: DescMethod): boolean => getOption(method, rest).file !== "";

/** Returns the field that is the whole answer over REST; undefined if all fields are. */
export function bodyField(method: DescMethod): DescField | undefined {
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
