import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { Drs, Filter } from "@drs/client";
import { z } from "zod";
import { clip } from "./budget.ts";
import type { Report } from "./failures.ts";
import type { LocalFiles } from "./local-files.ts";

/** What tools, resources and prompts work with. */
export interface Workplace {
  /** The client of the service, connected when it is first needed. */
  readonly drs: () => Promise<Drs>;
  /** Undefined: documents come by address alone. */
  readonly files: LocalFiles | undefined;
  readonly report: Report;
}

/** Adds a tool, a resource or a prompt to a server. */
export type Register = (server: McpServer, workplace: Workplace) => void;

/** What a model can pass; a name that is not among them is refused, so that a misspelt filter never filters nothing. */
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
  .regex(/^ds_[0-9a-z]{1,60}$/i, "an id of a document begins with ds_; list_documents and search_pages tell them");

export const filterInput = z
  .record(z.string(), z.unknown())
  .describe(
    'by metadata: {"year": {"$gte": 2020}, "tags": "draft"}; $eq $ne $gt $gte $lt $lte $in $nin $contains $exists $and $or $not',
  );

/** A filter as the client takes it; what is wrong with it the service says. */
export function filterFrom(input: Readonly<Record<string, unknown>> | undefined): Filter | undefined {
  const filter: Filter | undefined = input === undefined ? undefined : JSON.parse(JSON.stringify(input));
  return filter;
}

/** Tells a client that asked for it how far a call has come. */
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
