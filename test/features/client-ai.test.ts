import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { createPageTools, modelParts } from "@drs/client/ai";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let drs: Drs;
let datasetId: string;
beforeAll(async () => {
  server = await startServer();
  // The examples read where the service is as their readers' programs do.
  process.env["DRS_SERVER"] = server.url;
  process.env["DRS_API_KEY"] = server.credentials.apiKey;
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const folder = await mkdtemp(join(tmpdir(), "drs-ai-"));
  const path = join(folder, "minutes.pdf");
  const pages = ["Budget of the school", "Heating of the old building costs 4,200", "Staff"].map((text) => ({ text }));
  await writeFile(path, makePdf({ pages }));
  const job = await drs.datasets.upload(path, { vectorize: true });
  await drs.jobs.wait(job.id);
  datasetId = job.datasetId;
  await rm(folder, { recursive: true });
});
afterAll(() => server.remove());

const question = "what does the heating cost?";

test("a tool gives pages with text, picture, score and a link", async () => {
  const { searchPages, getPages } = createPageTools(drs, { limit: 1 });
  const found = await searchPages.run({ query: question });
  expect(found.pages).toMatchObject([
    { datasetId, document: "minutes.pdf", page: 2, pageCount: 3, score: expect.any(Number) },
  ]);
  const [page] = found.pages;
  expect(page?.text).toContain("4,200");
  expect(page?.picture).toMatch(/^data:image\/jpeg;base64,/);
  expect((await fetch(page?.url ?? "")).headers.get("content-type")).toBe("image/jpeg");
  const beside = await getPages.run({ datasetId, pages: "1,3" });
  expect(beside.pages.map((one) => one.page)).toEqual([1, 3]);
  expect(modelParts(beside).map(({ kind }) => kind)).toEqual(["text", "picture", "text", "picture"]);
});

test("a tool keeps to its datasets, and leaves out what is not wanted", async () => {
  const { searchPages, getPages } = createPageTools(drs, { datasetIds: [datasetId], pictures: false });
  const { pages } = await searchPages.run({ query: question, limit: 2 });
  expect(pages).toHaveLength(2);
  expect(modelParts({ pages }).every(({ kind }) => kind === "text")).toBe(true);
  const other = "ds_00000000000000000000000000";
  await expect(searchPages.run({ query: question, datasetIds: [other] })).rejects.toThrow("not one of the datasets");
  await expect(getPages.run({ datasetId: other, pages: "1" })).rejects.toThrow("not one of the datasets");
  expect(modelParts({ pages: [] })).toEqual([{ kind: "text", text: "No page was found." }]);
});

test.each([
  [{}, "query must be words"],
  [{ query: "x", limit: 0 }, "limit must be"],
  [{ query: "x", datasetIds: "ds_1" }, "datasetIds must be"],
  ["x", "must be an object"],
])("the input %j is refused: %s", (input, reason) => {
  const { searchPages } = createPageTools(drs);
  expect(searchPages.input.check(input)).toEqual({ wrong: expect.stringContaining(reason) });
});

test("pages are asked for by numbers", () => {
  const { getPages } = createPageTools(drs);
  expect(getPages.input.check({ datasetId, pages: 7 })).toEqual({ value: { datasetId, pages: "7" } });
  for (const pages of ["1,4:6", "5:10"])
    expect(getPages.input.check({ datasetId, pages })).toEqual({ value: { datasetId, pages } });
  for (const pages of ["all", "", "5-7", undefined])
    expect(getPages.input.check({ datasetId, pages })).toHaveProperty("wrong");
});

describe("in the Vercel AI SDK", () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };

  test("a model that asks for pages sees them", async () => {
    const model = new MockLanguageModelV4({
      doGenerate: [
        {
          content: [
            {
              type: "tool-call",
              toolCallId: "1",
              toolName: "search_pages",
              input: JSON.stringify({ query: question }),
            },
          ],
          finishReason: { unified: "tool-calls", raw: undefined },
          usage,
          warnings: [],
        },
        {
          content: [{ type: "text", text: "4,200 (minutes.pdf, page 2)" }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: [],
        },
      ],
    });
    const { answer } = await import("../../clients/typescript/examples/ai-sdk.ts");
    expect(await answer(model, question)).toBe("4,200 (minutes.pdf, page 2)");
    const [first, second] = model.doGenerateCalls;
    expect(first?.tools?.map((tool) => tool.name)).toEqual(["search_pages", "get_pages"]);
    expect(first?.tools?.[0]).toMatchObject({ inputSchema: { required: ["query"], type: "object" } });
    const told = second?.prompt.findLast(({ role }) => role === "tool")?.content;
    expect(told).toMatchObject([
      {
        type: "tool-result",
        toolName: "search_pages",
        output: {
          type: "content",
          value: expect.arrayContaining([
            { type: "text", text: expect.stringContaining("minutes.pdf, page 2 of 3") },
            expect.objectContaining({ type: "file", mediaType: "image/jpeg" }),
          ]),
        },
      },
    ]);
  });
});

describe("in LangChain.js", () => {
  /** Says what it is told to, and keeps what it was asked. */
  class ScriptedModel extends BaseChatModel {
    readonly asked: BaseMessage[][] = [];
    readonly replies: AIMessage[];
    constructor(replies: AIMessage[]) {
      super({});
      this.replies = replies;
    }
    override _llmType(): string {
      return "scripted";
    }
    override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
      this.asked.push([...messages]);
      const message = this.replies[this.asked.length - 1] ?? new AIMessage("nothing more");
      return { generations: [{ text: message.text, message }] };
    }
  }

  test("a model that asks for pages sees them", async () => {
    const model = new ScriptedModel([
      new AIMessage({
        content: "",
        tool_calls: [{ type: "tool_call", id: "1", name: "search_pages", args: { query: question, limit: 1 } }],
      }),
      new AIMessage("4,200 (minutes.pdf, page 2)"),
    ]);
    const { answer } = await import("../../clients/typescript/examples/langchain.ts");
    expect(await answer(model, question)).toBe("4,200 (minutes.pdf, page 2)");
    const told = model.asked[1]?.at(-1);
    expect(told).toBeInstanceOf(ToolMessage);
    expect(told?.content).toEqual([
      { type: "text", text: expect.stringContaining("minutes.pdf, page 2 of 3") },
      { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,/) } },
    ]);
    expect(told).toMatchObject({ tool_call_id: "1", artifact: { pages: [{ datasetId, page: 2 }] } });
  });
});
