import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { comment } from "../openapi/schemas.ts";
import { isOptional, kindOf } from "./kinds.ts";
import type { Messages } from "./methods.ts";
import { docstring, pythonName, withoutDocstrings } from "./text.ts";

/** The functions of `json_values.py` that the module may need. */
const functions =
  "any_json any_object base64_bytes base64_text many mapping maybe members milliseconds need number text time truth whole word".split(
    " ",
  );

/** Returns the module with the classes for messages and the values of enums. */
export function typesText({ messages, enums, asked, answered }: Messages): string {
  const words = enums.map(enumText);
  const classes = messages.map((message) =>
    classText(message, { isAsked: asked.has(message.typeName), isAnswered: answered.has(message.typeName) }),
  );
  const body = [words.join("\n\n"), ...classes].join("\n\n");
  const code = withoutDocstrings(body);
  const used = [...functions, "JsonObject", "JsonValue"].filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  return `"""What the service is told and what it answers. Generated from the definitions in proto/; not to be edited.

Times are aware datetimes in UTC, sizes are bytes, pages count from 1. Fields and words that a newer service sends are
passed over, or passed on as they are; fields that an older one does not send have their default.
"""

from __future__ import annotations

${/\bMapping\[/.test(code) ? "from collections.abc import Mapping\n" : ""}from dataclasses import dataclass
${/\bdatetime\b/.test(code) ? "from datetime import datetime\n" : ""}from typing import ${/\bAny\b/.test(code) ? "Any, " : ""}Literal, TypeAlias

from drs_client.json_values import (
${used
  .toSorted()
  .map((name) => `    ${name},`)
  .join("\n")}
)

${body}
`;
}

function enumText(desc: DescEnum): string {
  const values = desc.values.filter(({ number }) => number !== 0);
  const words = values.map((value) => value.jsonName ?? value.name);
  const lines = values.map((value, index) => `- \`${words[index]}\`: ${comment(value)}`);
  const quoted = words.map((word) => `"${word}"`).join(", ");
  return `${desc.name}: TypeAlias = Literal[${quoted}]\n${docstring([comment(desc), "", ...lines].join("\n"), "")}`;
}

interface Use {
  readonly isAsked: boolean;
  readonly isAnswered: boolean;
}

function classText(message: DescMessage, use: Use): string {
  const { fields } = message;
  const parts = [
    "@dataclass(frozen=True, slots=True, kw_only=True)",
    `class ${message.name}:`,
    docstring(comment(message), "    "),
    "",
    ...message.fields.flatMap((field) => [
      `    ${pythonName(field.name)}: ${typeAndDefault(field, use)}`,
      docstring(fieldComment(field), "    "),
    ]),
    "",
    "    @classmethod",
    `    def from_json(cls, value: JsonValue) -> ${message.name}:`,
    `        """Reads it out of the JSON of the service. Raises \`DrsError\` if it is none."""`,
    "        of = members(value, cls.__name__)",
    "        return cls(",
    ...fields.map((field) => `            ${pythonName(field.name)}=${readText(field)},`),
    "        )",
    ...(use.isAsked ? toJsonText(fields) : []),
  ];
  return `${parts.join("\n")}\n`;
}

/** Returns the type of a field, with a default unless an answer always has the field. */
function typeAndDefault(field: DescField, { isAnswered }: Use): string {
  const { type } = kindOf(field);
  if (field.fieldKind === "list") return `tuple[${type}, ...] = ()`;
  if (isOptional(field) || (field.message !== undefined && field.fieldKind !== "map" && !isAnswered))
    return `${type} | None = None`;
  if (isAnswered) return type;
  return type === "str" ? 'str = ""' : type === "bool" ? "bool = False" : type;
}

function readText(field: DescField): string {
  const { read } = kindOf(field);
  const name = `"${field.jsonName}"`;
  if (field.fieldKind === "list") return `many(of, ${name}, ${read})`;
  return isOptional(field) ? `maybe(of, ${name}, ${read})` : `need(of, ${name}, ${read})`;
}

function toJsonText(fields: readonly DescField[]): string[] {
  return [
    "",
    "    def to_json(self) -> JsonObject:",
    `        """As the service reads it; what is not set is left out."""`,
    "        json: JsonObject = {}",
    ...fields.flatMap((field) => {
      const value = `self.${pythonName(field.name)}`;
      const { write } = kindOf(field);
      const isPlain = write("one") === "one";
      const list = isPlain ? `list(${value})` : `[${write("one")} for one in ${value}]`;
      const written = field.fieldKind === "list" ? list : write(value);
      const isSet =
        isOptional(field) || (field.message !== undefined && field.fieldKind !== "list" && field.fieldKind !== "map")
          ? `${value} is not None`
          : value;
      return [`        if ${isSet}:`, `            json["${field.jsonName}"] = ${written}`];
    }),
    "        return json",
  ];
}

/** Returns the comment of a field. Times are not numbers here, unlike in JSON. */
function fieldComment(field: DescField): string {
  const text = comment(field);
  return kindOf(field).type === "datetime" ? text.replace(", milliseconds since the epoch, UTC", "") : text;
}
