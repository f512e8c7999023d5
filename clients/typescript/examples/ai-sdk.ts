import { createDrs } from "@drs/client";
import { aiSdkTools } from "@drs/client/ai";
import { generateText, isStepCount, type LanguageModel } from "ai";

const drs = createDrs({
  server: process.env["DRS_SERVER"] ?? "http://127.0.0.1:8420",
  apiKey: process.env["DRS_API_KEY"],
});

/** Answers a question from the stored documents; the model sees the pages that it finds. */
export async function answer(model: LanguageModel, question: string): Promise<string> {
  const { text } = await generateText({
    model,
    system: "Answer from the pages that you find, and name document and page.",
    prompt: question,
    tools: aiSdkTools(drs, { limit: 3, pictureWidth: 1024 }),
    stopWhen: isStepCount(5),
  });
  return text;
}
