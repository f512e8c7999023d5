import { describe, expect, it } from "vitest";
import { parseQuestions } from "./folder.ts";

describe("a questions file", () => {
  it("has a question, its document and the pages with the answer in each line", () => {
    const question = { question: "how high is it?", document: "towers/eiffel.pdf", pages: [3, 4] };
    expect(parseQuestions(`${JSON.stringify(question)}\n\n`)).toEqual([question]);
  });

  it.each([
    ["is not JSON", '{"question":', /line 2: is not JSON/],
    ["has no pages", '{"question": "q", "document": "d", "pages": []}', /line 2: pages/],
    ["counts pages from 0", '{"question": "q", "document": "d", "pages": [0]}', /line 2: pages\.0/],
  ])("is refused with the line that %s", (_, wrong, message) => {
    const right = '{"question": "q", "document": "d", "pages": [1]}';
    expect(() => parseQuestions(`${right}\n${wrong}`)).toThrow(message);
  });

  it("without questions is refused", () => {
    expect(() => parseQuestions("\n")).toThrow(/has no question/);
  });
});
