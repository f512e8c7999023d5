import { type DescField, type DescMethod, getOption } from "@bufbuild/protobuf";
import { access, rest } from "../../clients/typescript/gen/drs/rest/v1/rest_pb.ts";
import { exampleOf } from "./examples.ts";
import { isNeeded } from "./rules.ts";
import { comment, jsonText, type Schemas } from "./schemas.ts";
import type { Json } from "./json.ts";

/** Describes a parameter. A required one has an example that tools fill in; an optional one has an example to read. */
export function parameter(field: DescField, place: "path" | "query", schemas: Schemas): Json {
  const isRequired = place === "path" || isNeeded(field);
  return {
    name: place === "path" ? field.name : field.jsonName,
    in: place,
    required: isRequired,
    description: comment(field),
    ...(field.fieldKind === "list" ? { style: "form", explode: false } : {}),
    schema: field.message === undefined ? schemas.ofField(field) : jsonText(field, schemas),
    ...(isRequired ? { example: exampleOf(field) } : {}),
  };
}

export function headerParameters(method: DescMethod): Json[] {
  const { resume, raw, creates } = getOption(method, rest);
  const isPublic = getOption(method, access).public;
  return [
    ...(resume === "" ? [] : [header("Last-Event-ID", "Id of the last event seen; the stream goes on after it.", "7")]),
    ...(creates
      ? [
          header(
            "Idempotency-Key",
            "1 to 255 visible ASCII characters of the caller's own. Sent again with the same body within 24 hours it gets the first answer.",
            "import-2026-11-21-0001",
          ),
        ]
      : []),
    ...(isPublic
      ? []
      : [
          header(
            "x-workspace",
            "Id or name of the workspace, for personal tokens; default: the oldest one. An API key has one workspace.",
            "default",
          ),
        ]),
    ...(raw ? shareHeaders : []),
  ];
}

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", examples: [example] },
});

const shareHeaders: readonly Json[] = [
  header("Range", "One range of bytes; it is answered with 206.", "bytes=0-1023"),
  header("If-Range", "The range is sent only if the bytes still have this ETag.", '"9f86d081884c7d65-44-jpg"'),
  header("If-None-Match", "ETags that the caller has; answered with 304 if one fits.", '"9f86d081884c7d65-44-jpg"'),
  header("If-Modified-Since", "Answered with 304 if nothing has changed since.", "Sat, 21 Nov 2026 10:37:45 GMT"),
];
