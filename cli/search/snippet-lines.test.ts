import { expect, test } from "vitest";
import { stringWidth } from "../output/printable.ts";
import { plainStyle } from "../terminal/style.ts";
import { snippetLines } from "./snippet-lines.ts";

const style = { ...plainStyle, bold: (text: string) => `<${text}>` };

test("the words of the question are marked, also where a line ends within them", () => {
  const text = "…how the fog signal works at night…";
  const snippet = { text, marks: [{ start: 9, length: 10 }] };
  expect(snippetLines(snippet, style, undefined)).toEqual(["…how the <fog signal> works at night…"]);
  expect(snippetLines(snippet, style, 14)).toEqual(["…how the <fog>", "<signal> works", "at night…"]);
});

test("no line is wider than the room, whatever the script", () => {
  const text = "灯台守は毎晩霧の信号を鳴らした。 and Donaudampfschifffahrtsgesellschaft 👩‍🚒";
  for (const room of [25, 40, 69]) {
    const lines = snippetLines({ text, marks: [{ start: 5, length: 8 }] }, plainStyle, room);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(room);
    expect(lines.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
  }
});

test("a page cannot steer the terminal, and marks stay where they are", () => {
  const snippet = { text: "a\u001b[2Jb word", marks: [{ start: 7, length: 4 }] };
  expect(snippetLines(snippet, style, undefined)).toEqual(["a\uFFFD[2Jb <word>"]);
});

test("of a long text the lines around the first mark are shown", () => {
  const text = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ");
  const marks = [{ start: text.indexOf("word17"), length: 6 }];
  expect(snippetLines({ text, marks }, style, 21)).toEqual([
    "word12 word13 word14",
    "word15 word16 <word17>",
    "word18 word19 word20",
  ]);
  expect(snippetLines({ text, marks: [] }, style, 21)).toHaveLength(3);
});
