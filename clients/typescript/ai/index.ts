export { type AiSdkTool, type AiSdkTools, aiSdkTools } from "./ai-sdk.ts";
export { type ModelPart, modelParts, type ToolPage, type ToolPages } from "./found-pages.ts";
export type { GetPagesInput, InputSchema, SearchPagesInput } from "./inputs.ts";
export { type LangChainToolArguments, langChainTools, type LangChainToolsArguments } from "./langchain.ts";
export { createPageTools, type PageTool, type PageToolOptions, type PageTools } from "./page-tools.ts";
