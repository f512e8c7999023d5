import { type DescField, type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { isRest } from "../openapi/operations.ts";
import { comment } from "../openapi/schemas.ts";
import { kindOf, parameterOf } from "./kinds.ts";
import { answerOf, isRaw, isUpload } from "./methods.ts";
import {
  className,
  constantName,
  docstring,
  methodName,
  pageNameOf,
  pythonName,
  snake,
  withoutDocstrings,
} from "./text.ts";

/** Excludes methods that are written by hand: streams, forms with files, and bytes. */
const isCallable = (method: DescMethod): boolean =>
  isRest(method) && !isRaw(method) && !isUpload(method) && method.methodKind === "unary";

/** Returns the module with one class for each service, for asyncio. */
export function servicesText(services: readonly DescService[]): string {
  const classes = services.filter(({ methods }) => methods.some(isCallable)).map(serviceText);
  const body = classes.join("\n\n");
  const code = withoutDocstrings(body);
  const used = (...names: string[]): string[] => names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  return `"""The methods of the service, one class for each group. Generated from the definitions in proto/; not to be edited."""

from __future__ import annotations

from collections.abc import ${used("AsyncIterator", "Mapping", "Sequence").join(", ")}
${used("datetime").length === 0 ? "" : "from datetime import datetime\n"}${used("Any").length === 0 ? "" : "from typing import Any\n"}
from drs_client._aio.caller import AsyncCaller
from drs_client._aio.paging import entries
from drs_client.gen import methods, types
from drs_client.json_values import ${used("JsonValue", "base64_text", "milliseconds", "words").join(", ")}


${body}
${allText(services.filter(({ methods }) => methods.some(isCallable)))}`;
}

function allText(services: readonly DescService[]): string {
  const lines = services
    .filter(({ name }) => name !== "SearchService")
    .map((service) => `        self.${snake(className(service))} = Async${className(service)}(caller)`);
  return `

class AsyncServices:
    """All groups of methods but the search, which the client has by hand."""

    def __init__(self, caller: AsyncCaller) -> None:
${lines.join("\n")}
`;
}

function serviceText(service: DescService): string {
  const methods = service.methods.filter(isCallable).flatMap((method) => methodTexts(service, method));
  return `class Async${className(service)}:
${docstring(comment(service), "    ")}

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

${methods.join("\n\n")}
`;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly needed: boolean;
  /** The Python expression of its JSON. */
  readonly json: string;
  readonly jsonName: string;
  readonly about: string;
}

function methodTexts(service: DescService, method: DescMethod): string[] {
  const parameters = method.input.fields
    .map(parameter)
    .toSorted((one, other) => Number(other.needed) - Number(one.needed));
  const data = method.output.fields.find(({ name }) => name === "data");
  const isPaged =
    data?.fieldKind === "list" &&
    ["offset", "limit"].every((name) => method.input.fields.some((field) => field.name === name));
  const name = methodName(service, method.name);
  if (!isPaged) return [callText(method, name, parameters)];
  const pageName = pageNameOf(name);
  return [listText(method, { name, pageName, parameters, data }), callText(method, pageName, parameters)];
}

function parameter(field: DescField): Parameter {
  return { name: pythonName(field.name), ...parameterOf(field), jsonName: field.jsonName, about: comment(field) };
}

function callText(method: DescMethod, name: string, parameters: readonly Parameter[]): string {
  const answer = answerOf(method);
  const type = answer === undefined ? "None" : `types.${answer.name}`;
  const start = answer === undefined ? "" : "answer = ";
  const key: Parameter[] = takesKey(method) ? [idempotencyKey] : [];
  const fields = parameters.map(({ jsonName, json }) => `"${jsonName}": ${json}`);
  const keyArgument = key.length === 0 ? [] : ["idempotency_key=idempotency_key"];
  return [
    signature("async def", name, [...parameters, ...key], type),
    docstring(about(method, [...parameters, ...key]), "        "),
    ...(fields.length === 0
      ? [
          `        ${start}await self._caller.call(methods.${constantName(method.name)}, {}${keyArgument.map((one) => `, ${one}`).join("")})`,
        ]
      : [
          `        ${start}await self._caller.call(`,
          `            methods.${constantName(method.name)},`,
          "            {",
          ...fields.map((field) => `                ${field},`),
          "            },",
          ...keyArgument.map((one) => `            ${one},`),
          "        )",
        ]),
    ...(answer === undefined ? [] : [`        return ${type}.from_json(answer)`]),
  ].join("\n");
}

interface ListParts {
  readonly name: string;
  readonly pageName: string;
  readonly parameters: readonly Parameter[];
  readonly data: DescField;
}

function listText(method: DescMethod, { name, pageName, parameters, data }: ListParts): string {
  const own = parameters.filter((one) => one.name !== "offset" && one.name !== "limit");
  const bounds: Parameter[] = [
    { ...plainBound, name: "offset", about: "Number of matching entries to skip; default 0." },
    { ...plainBound, name: "limit", about: "Maximum number of entries in all; default: all." },
  ];
  const passed = own.map((one) => (one.needed ? one.name : `${one.name}=${one.name}`));
  return [
    signature("def", name, [...own, ...bounds], `AsyncIterator[${kindOf(data, "types.").type}]`),
    docstring(about(method, [...own, ...bounds], "Entries are fetched as they are wanted, page by page."), "        "),
    "        return entries(",
    `            lambda offset, limit: self.${pageName}(`,
    ...[...passed, "offset=offset", "limit=limit"].map((one) => `                ${one},`),
    "            ),",
    "            offset,",
    "            limit,",
    "        )",
  ].join("\n");
}

const plainBound = { type: "int | None", needed: false, json: "", jsonName: "" } as const;

const idempotencyKey: Parameter = {
  name: "idempotency_key",
  type: "str | None",
  needed: false,
  json: "",
  jsonName: "",
  about:
    "Makes a repetition with the same key within 24 hours get the first answer; default: a key of this call's own.",
};

const takesKey = (method: DescMethod): boolean => getOption(method, rest).creates;

function signature(start: string, name: string, parameters: readonly Parameter[], result: string): string {
  const needed = parameters.filter((one) => one.needed).map((one) => `${one.name}: ${one.type}`);
  const others = parameters.filter((one) => !one.needed).map((one) => `${one.name}: ${one.type} = None`);
  const all = ["self", ...needed, ...(others.length === 0 ? [] : ["*", ...others])];
  const line = `    ${start} ${name}(${all.join(", ")}) -> ${result}:`;
  if (line.length <= 120) return line;
  return [`    ${start} ${name}(`, ...all.map((one) => `        ${one},`), `    ) -> ${result}:`].join("\n");
}

function about(method: DescMethod, parameters: readonly Parameter[], more = ""): string {
  const text = [comment(method), more].join(" ").trim();
  if (parameters.length === 0) return text;
  return [text, "", "Args:", ...parameters.map((one) => `    ${one.name}: ${one.about}`)].join("\n");
}
