import { z } from "zod";
import type { Register } from "./tool.ts";

/** Prompts for working with the tools, which people can choose in their client. */
export const prompts: Register = (server) => {
  server.registerPrompt(
    "answer_from_documents",
    {
      title: "Answer from the documents",
      description: "Answers a question from stored pages alone, and cites them",
      argsSchema: z.object({ question: z.string().max(4_000) }),
    },
    ({ question }) =>
      message(
        `Answer this question from the stored documents alone:\n\n${question}\n\n` +
          "Search with search_pages, more than once and in other words if the first pages do not fit. Look at the pictures; " +
          "use get_pages for small print, for the pages before and after, and for tables that go on. Cite document and page for " +
          "every statement. If the pages do not answer the question, say so.",
      ),
  );
  server.registerPrompt(
    "read_document",
    {
      title: "Read a document",
      description: "Reads a document page by page and tells what is in it, with page numbers",
      argsSchema: z.object({ document: z.string().max(300).describe("its name or id") }),
    },
    ({ document }) =>
      message(
        `Read the document ${document}: find it with list_documents, go through it with get_pages, a few pages a call, and ` +
          "tell what is in it, with the page numbers of what matters.",
      ),
  );
};

function message(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}
