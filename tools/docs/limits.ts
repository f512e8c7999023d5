import { readFileSync } from "node:fs";
import { settingDefinitions } from "../../server/settings/settings.ts";
import { maxMetadata } from "../../server/domain/datasets/metadata.ts";
import { fileExts } from "../../server/domain/documents/kind.ts";
import { maxFilter } from "../../server/domain/filters/read.ts";
import { rememberedMs } from "../../server/domain/idempotency/attempts.ts";
import { maxContentBytes } from "../../server/domain/items/contents.ts";
import { finishedVisibleMs } from "../../server/domain/jobs/read.ts";
import { maxShareSeconds } from "../../server/domain/shares/signing-keys.ts";
import { minPartBytes } from "../../server/domain/uploads/check-parts.ts";
import { maxPartBytes, maxPartNumber } from "../../server/domain/uploads/part-pieces.ts";
import { sessionLifetimeMs } from "../../server/domain/uploads/start.ts";
import { maxWebhooks } from "../../server/domain/webhooks/endpoints.ts";
import { maxPagesShown, maxResultBytes, maxTextBytes } from "../../server/mcp/budget.ts";
import { jpegQuality } from "../../server/pipeline/engines/jpeg.ts";
import { jpegDotsPerInch, jpegMaxLongSide } from "../../server/pipeline/engines/size.ts";
import { maxPages } from "../../server/pipeline/jobs/run.ts";
import { maxImageBytes } from "../../server/ranking/parse/query-image.ts";
import { defaultLinger } from "../../server/transport/http/linger.ts";
import { maxJsonBytes } from "../../server/transport/rest/requests.ts";
import { code, table } from "./markdown.ts";

const number = new Intl.NumberFormat("en-GB");
const megabytes = (bytes: number): string => `${number.format(bytes / 2 ** 20)} MiB`;
const hours = (ms: number): string => `${ms / 3_600_000} hours`;

/** Returns the default of a setting, with its flag. Throws if it has none. */
function setting(name: string): string {
  const definition = settingDefinitions.find((candidate) => candidate.name === name);
  if (!definition?.default) throw new Error(`${name} has no default`);
  return `${definition.default} (${code(definition.flag)})`;
}

/** Returns the bound of a field of `POST /v1/search` in the OpenAPI document. Throws if the pattern does not match. */
function ofSearch(pattern: RegExp): string {
  const text = readFileSync("clients/typescript/gen/openapi.json", "utf8");
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`the OpenAPI document has nothing like ${pattern}`);
  return number.format(Number(value));
}

/** Returns a table of the limits that apply to callers. */
export function limitsReference(): string {
  const queryLength = ofSearch(/"maxLength": (\d+),\s+"examples": \[\s+"what was decided about heating"/);
  const rows: readonly (readonly [what: string, value: string])[] = [
    ["formats", fileExts.join(", ")],
    ["document in one request", setting("maxUploadBytes")],
    ["document in parts or from a URL", setting("maxDocumentBytes")],
    ["pages of a document", number.format(maxPages)],
    ["pages that a spreadsheet prints to", setting("maxSheetPages")],
    ["time for one page, ms", setting("pageTimeoutMs")],
    ["time for one conversion of an Office document, ms", setting("convertTimeoutMs")],
    [
      "part of an upload",
      `${number.format(minPartBytes / 1e6)} MB to ${megabytes(maxPartBytes)}; the last may be smaller`,
    ],
    ["parts of an upload", number.format(maxPartNumber)],
    ["an open upload session", hours(sessionLifetimeMs)],
    ["JSON body", megabytes(maxJsonBytes)],
    ["`limit` of lists and searches", "1 to 100, default 10"],
    ["query text", `${queryLength} characters`],
    ["query picture", megabytes(maxImageBytes)],
    ["contents that one answer includes", megabytes(maxContentBytes)],
    ["lifetime of a share link", `1 second to ${maxShareSeconds / 86_400} days, default 10 minutes`],
    [
      "picture of a page (JPEG)",
      `${jpegDotsPerInch} dpi, longer side at most ${number.format(jpegMaxLongSide)} pixels, quality ${jpegQuality}`,
    ],
    ["finished job in the list", `${hours(finishedVisibleMs)}; by its id as long as its dataset exists`],
    ["answer kept for an idempotency key", hours(rememberedMs)],
    [
      "metadata of a dataset",
      `${maxMetadata.fields} fields, ${maxMetadata.values} values, ${maxMetadata.bytes / 1024} KiB; names of ${maxMetadata.nameCharacters} characters, texts of ${number.format(maxMetadata.textBytes)} bytes`,
    ],
    ["filter", `${maxFilter.depth} levels, ${maxFilter.nodes} conditions, ${number.format(maxFilter.values)} values`],
    ["webhooks of a workspace", number.format(maxWebhooks)],
    [
      "result of an MCP tool",
      `${number.format(maxResultBytes)} bytes, ${maxPagesShown} pictures, ${number.format(maxTextBytes)} bytes of text`,
    ],
    [
      "body of a refused request that is still read",
      `${megabytes(defaultLinger.maxBytes)}, ${defaultLinger.maxMs / 1_000} s, not below ${defaultLinger.minBytesPerSecond / 1024} KiB/s`,
    ],
  ];
  return table(["what", "limit"], rows);
}
