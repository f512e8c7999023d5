import type { Drs } from "../drs.ts";
import { modelParts, type ToolPages } from "./found-pages.ts";
import type { GetPagesInput, InputSchema, SearchPagesInput } from "./inputs.ts";
import { createPageTools, type PageTool, type PageToolOptions } from "./page-tools.ts";

/** A schema of https://standardschema.dev that can also be converted to JSON Schema. */
interface StandardInput<Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "drs";
    readonly validate: (
      value: unknown,
    ) => { readonly value: Input } | { readonly issues: readonly { readonly message: string }[] };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
    readonly types?: { readonly input: unknown; readonly output: Input };
  };
}

type OutputPart =
  | { type: "text"; text: string }
  | { type: "file"; mediaType: string; data: { type: "data"; data: string } };

/** A tool of the Vercel AI SDK (`ai` 7). */
export interface AiSdkTool<Input> {
  readonly description: string;
  readonly inputSchema: StandardInput<Input>;
  readonly execute: (input: Input, options: { readonly abortSignal?: AbortSignal }) => Promise<ToolPages>;
  readonly toModelOutput: (result: { readonly output: ToolPages }) => { type: "content"; value: OutputPart[] };
}

/** A type alias, because the SDK accepts only records of tools. */
export type AiSdkTools = {
  readonly search_pages: AiSdkTool<SearchPagesInput>;
  readonly get_pages: AiSdkTool<GetPagesInput>;
};

/** Creates tools for `generateText({ tools })` of the Vercel AI SDK; the model sees the pages' pictures. */
export function aiSdkTools(drs: Drs, options?: PageToolOptions): AiSdkTools {
  const { searchPages, getPages } = createPageTools(drs, options);
  return { search_pages: aiSdkTool(searchPages), get_pages: aiSdkTool(getPages) };
}

function aiSdkTool<Input>({ description, input, run }: PageTool<Input>): AiSdkTool<Input> {
  return {
    description,
    inputSchema: standardInput(input),
    execute: (asked, { abortSignal }) => run(asked, { signal: abortSignal }),
    toModelOutput: ({ output }) => ({
      type: "content",
      value: modelParts(output).map((part): OutputPart =>
        part.kind === "text"
          ? { type: "text", text: part.text }
          : { type: "file", mediaType: part.mediaType, data: { type: "data", data: part.base64 } },
      ),
    }),
  };
}

function standardInput<Input>({ jsonSchema, check }: InputSchema<Input>): StandardInput<Input> {
  const said = (): Record<string, unknown> => ({ ...jsonSchema });
  return {
    "~standard": {
      version: 1,
      vendor: "drs",
      validate(value) {
        const checked = check(value);
        return "wrong" in checked ? { issues: [{ message: checked.wrong }] } : checked;
      },
      jsonSchema: { input: said, output: said },
    },
  };
}
