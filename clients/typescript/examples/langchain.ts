import { createDrs } from "@drs/client";
import { langChainTools } from "@drs/client/ai";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";

const drs = createDrs({
  server: process.env["DRS_SERVER"] ?? "http://127.0.0.1:8420",
  apiKey: process.env["DRS_API_KEY"],
});
const { searchPages, getPages } = langChainTools(drs, { limit: 3 });
const tools = [tool(...searchPages), tool(...getPages)];

/** Answers a question from the stored documents; the model sees the pages that it finds. */
export async function answer(model: BaseChatModel, question: string): Promise<string> {
  const asking = model.bindTools?.(tools) ?? model;
  const messages: BaseMessage[] = [new HumanMessage(question)];
  for (let steps = 0; steps < 5; steps += 1) {
    const reply = await asking.invoke(messages);
    messages.push(reply);
    if (reply.tool_calls === undefined || reply.tool_calls.length === 0) return reply.text;
    for (const call of reply.tool_calls) {
      const chosen = tools.find(({ name }) => name === call.name);
      if (chosen !== undefined) messages.push(await chosen.invoke({ ...call, type: "tool_call" as const }));
    }
  }
  return "";
}
