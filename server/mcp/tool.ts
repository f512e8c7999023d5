import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { Drs, Filter } from "@drs/client";
import { z } from "zod";
import { clip } from "./budget.ts";
import type { Report } from "./failures.ts";
import type { LocalFiles } from "./local-files.ts";

/** The context of tools, resources and prompts. */
export interface ToolContext {
  /** The client of the service, connected when it is first needed. */
  readonly drs: () => Promise<Drs>;
  /** Undefined if documents can only be added by URL. */
  readonly files: LocalFiles | undefined;
  readonly report: Report;
}

/** Adds a tool, a resource or a prompt to a server. */
export type Register = (server: McpServer, workplace: ToolContext) => void;

/** The input schema of a tool. Unknown names are refused, so that a misspelt filter is not silently ignored. */
export function inputOf<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? clip(`unknown: ${issue.keys.join(", ")}; this tool takes ${Object.keys(shape).join(", ")}`, 300)
        : undefined,
  });
}

export const datasetIdInput = z
  .string()
  .regex(/^ds_[0-9a-z]{1,60}$/i, "the id of a document begins with ds_; list_documents and search_pages return it");

export const filterInput = z
  .record(z.string(), z.unknown())
  .describe(
    'by metadata: {"year": {"$gte": 2020}, "tags": "draft"}; $eq $ne $gt $gte $lt $lte $in $nin $contains $exists $and $or $not',
  );

/** Converts a filter to the client's type; the service reports mistakes in it. */
export function filterFrom(input: Readonly<Record<string, unknown>> | undefined): Filter | undefined {
  const filter: Filter | undefined = input === undefined ? undefined : JSON.parse(JSON.stringify(input));
  return filter;
}

/** Reports the progress of a call to a client that has asked for it. */
export async function tellProgress(
  { mcpReq }: ServerContext,
  progress: { readonly done: number; readonly total: number; readonly message: string },
): Promise<void> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return;
  const { done, total, message } = progress;
  const params = { progressToken: token, progress: done, ...(total > 0 && { total }), message };
  await mcpReq.notify({ method: "notifications/progress", params });
}
