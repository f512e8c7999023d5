import type { Drs } from "../drs.ts";
import { modelParts, type ToolPages } from "./found-pages.ts";
import type { InputSchema } from "./inputs.ts";
import { createPageTools, type PageTool, type PageToolOptions } from "./page-tools.ts";

type ContentBlock = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/**
 * The two arguments of `tool` of `@langchain/core/tools` (1): its function and its description. The tool returns
 * the pages as texts and pictures in its message, and as data in its artifact.
 */
export type LangChainToolArguments = readonly [
  run: (input: unknown, config?: { readonly signal?: AbortSignal }) => Promise<[ContentBlock[], ToolPages]>,
  fields: {
    readonly name: string;
    readonly description: string;
    readonly schema: InputSchema<unknown>["jsonSchema"];
    readonly responseFormat: "content_and_artifact";
  },
];

export interface LangChainToolsArguments {
  readonly searchPages: LangChainToolArguments;
  readonly getPages: LangChainToolArguments;
}

/** Creates tools for LangChain.js, to be passed to its own function: `tool(...langChainTools(drs).searchPages)`. */
export function langChainTools(drs: Drs, options?: PageToolOptions): LangChainToolsArguments {
  const { searchPages, getPages } = createPageTools(drs, options);
  return { searchPages: argumentsOf(searchPages), getPages: argumentsOf(getPages) };
}

function argumentsOf<Input>({ name, description, input, run }: PageTool<Input>): LangChainToolArguments {
  return [
    async (asked, config) => {
      const checked = input.check(asked);
      if ("wrong" in checked) throw new TypeError(checked.wrong);
      const pages = await run(checked.value, { signal: config?.signal });
      return [modelParts(pages).map(blockOf), pages];
    },
    { name, description, schema: input.jsonSchema, responseFormat: "content_and_artifact" },
  ];
}

function blockOf(part: ReturnType<typeof modelParts>[number]): ContentBlock {
  if (part.kind === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.base64}` } };
}
