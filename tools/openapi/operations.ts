import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { access } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { http } from "../../clients/typescript/gen/google/api/annotations_pb.ts";
import { answersOf } from "./answers.ts";
import { headerParameters, parameter, requestBody } from "./requests.ts";
import { errorsOf } from "./errors.ts";
import { comment, type Schemas } from "./schemas.ts";
import type { Json } from "./rules.ts";
import { placeOf } from "./sections.ts";

export const isRest = (method: DescMethod): boolean => hasOption(method, http);

export function bindingOf(method: DescMethod): { verb: string; path: string } {
  const { pattern } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error(`${method.name} has an unusual HTTP verb`);
  return { verb: pattern.case, path: pattern.value.replace(/\{(\w+)=[^}]*\}/g, "{$1}") };
}

export function operation(method: DescMethod, path: string, schemas: Schemas): Json {
  const inPath = new Set([...path.matchAll(/\{(\w+)/g)].map(([, name]) => name));
  const pathFields = method.input.fields.filter(({ name }) => inPath.has(name));
  const others = method.input.fields.filter(({ name }) => !inPath.has(name));
  const hasBody = getOption(method, http).body !== "";
  const isPublic = getOption(method, access).public;
  const [summary = "", ...more] = comment(method).split(/(?<=\.) /);
  return {
    operationId: method.localName,
    tags: [placeOf(method).section],
    summary: summary.replace(/\.$/, ""),
    description: [...more, ...(isPublic ? [] : [neededAccess(method)])].join(" "),
    parameters: [
      ...pathFields.map((field) => parameter(field, "path", schemas)),
      ...(hasBody ? [] : others.map((field) => parameter(field, "query", schemas))),
      ...headerParameters(method),
    ],
    ...(hasBody && others.length > 0 ? { requestBody: requestBody(method, others, schemas) } : {}),
    responses: { ...answersOf(method, schemas), ...errorsOf(method) },
    ...(isPublic ? { security: [] } : {}),
  };
}

function neededAccess(method: DescMethod): string {
  const { any, scope } = getOption(method, access);
  return any
    ? "Any valid API key or personal token is accepted."
    : `Needs an API key, or the personal token of a member, with the scope "${scope}".`;
}
