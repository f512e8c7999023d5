import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { Drs, Job, Metadata } from "@drs/client";
import { z } from "zod";
import { jsonBlock } from "../budget.ts";
import { answered, UserError } from "../failures.ts";
import { describeJob, jobOutput } from "./get-job.ts";
import type { LocalFiles } from "../local-files.ts";
import { inputOf, type Register, tellProgress } from "../tool.ts";

const common = `Store a PDF, Word, PowerPoint or Excel document, split it into pages and make them searchable.
The result is a job: get_job reports when its pages are ready, usually within seconds to minutes.`;

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const shape = {
  url: z.string().max(4_000).optional().describe("public http(s) address; the service fetches it"),
  fileName: z.string().min(1).max(255).optional().describe("name to store it under; default: the name of the file"),
  searchable: z.boolean().default(true).describe("false: pages by number only, which is faster"),
  expiresInDays: z.int().min(1).max(36_500).optional().describe("default: never"),
  metadata: z
    .record(z.string(), z.union([scalar, z.array(scalar)]))
    .optional()
    .describe('fields that filters can match: {"year": 2024}'),
};
const byAddress = inputOf({ ...shape, url: shape.url.unwrap() });

interface AddRequest {
  readonly url?: string | undefined;
  readonly path?: string | undefined;
  readonly fileName?: string | undefined;
  readonly searchable: boolean;
  readonly expiresInDays?: number | undefined;
  readonly metadata?: Metadata | undefined;
}

export const addDocument: Register = (server, { drs: connect, files, report }) => {
  const about = {
    title: "Add document",
    outputSchema: jobOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  };
  const add = (request: AddRequest, context: ServerContext): Promise<CallToolResult> =>
    answered(
      async () => {
        const described = describeJob(await upload(await connect(), request, files, context));
        return { content: [jsonBlock(described)], structuredContent: described };
      },
      { signal: context.mcpReq.signal, report },
    );
  if (files === undefined || files.roots.length === 0) {
    server.registerTool("add_document", { ...about, description: common, inputSchema: byAddress }, add);
    return;
  }
  const path = z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe(`file below ${files.roots.join(" or ")}`);
  const description = `${common}\nGive either path or url.`;
  server.registerTool("add_document", { ...about, description, inputSchema: inputOf({ path, ...shape }) }, add);
};

async function upload(
  drs: Drs,
  { url, path, fileName, searchable, expiresInDays, metadata }: AddRequest,
  files: LocalFiles | undefined,
  context: ServerContext,
): Promise<Job> {
  const { signal } = context.mcpReq;
  const options = { vectorize: searchable, expiresInDays, metadata, fileName, signal };
  if (path !== undefined && url === undefined && files !== undefined) {
    const { name, handle } = await files.open(path);
    try {
      const { size } = await handle.stat();
      // Read from the open file that has been checked; the path is not opened again.
      const stream = handle.readableWebStream({ autoClose: false });
      return await drs.datasets.upload(stream, {
        ...options,
        fileName: fileName ?? name,
        onProgress: ({ sentBytes }) =>
          // Useful to someone who waits, and irrelevant to the upload.
          void tellProgress(context, { done: sentBytes, total: size, message: "upload" }).catch(() => undefined),
      });
    } finally {
      await handle.close();
    }
  }
  if (url === undefined || path !== undefined) throw new UserError("give either path or url");
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new UserError("url must be an http or https address");
  }
  return drs.datasets.upload(address, options);
}
