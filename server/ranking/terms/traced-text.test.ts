import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { cleaned } from "./split.ts";
import { TracedText } from "./traced-text.ts";

describe("a traced text", () => {
  const originOf = (first: string, now: TracedText, part: string): string => {
    const from = now.text.indexOf(part);
    const origin = now.originOf({ from, to: from + part.length });
    return first.slice(origin.from, origin.to);
  };

  it("maps its parts to the original text", () => {
    const first = "  the ﬁlter's\r\n pa\u00adper of cafe\u0301s  ";
    const now = new TracedText(first)
      .trim()
      .normalize("NFKC")
      .replace(/\u00ad/g, "")
      .replace(/(f)(i)/g, (_, one = "", other = "") => `${other}${one}`)
      .replace(/\s+/g, " ");
    expect(now.text).toBe("the iflter's paper of cafés");
    expect(originOf(first, now, "iflter")).toBe("ﬁlter");
    expect(originOf(first, now, "i")).toBe("ﬁ");
    expect(originOf(first, now, "paper of")).toBe("pa\u00adper of");
    expect(originOf(first, now, "cafés")).toBe("cafe\u0301s");
    expect(originOf(first, now, "s p")).toBe("s\r\n p");
  });

  it("maps marks that normalisation combines with the letters before them", () => {
    const first = "ก\u0e33 \u1100\u1161 a\u0323\u0307 \u30ab\uff9e.";
    const now = new TracedText(first).normalize("NFKC");
    expect(now.text).toBe(first.normalize("NFKC"));
    expect(originOf(first, now, "가")).toBe("\u1100\u1161");
    expect(originOf(first, now, "ガ")).toBe("\u30ab\uff9e");
  });

  it("is rewritten in the same way as the text itself", () => {
    assert(
      property(string({ unit: "binary", maxLength: 40 }), (text) => {
        const traced = new TracedText(text).toWellFormed().trim().normalize("NFKC");
        expect(traced.text).toBe(text.toWellFormed().trim().normalize("NFKC"));
        expect(cleaned(new TracedText(text)).text).toBe(cleaned(text));
        const origins = Array.from(traced.text.split(""), (_, unit) => traced.originOf({ from: unit, to: unit + 1 }));
        expect(origins.every(({ from, to }) => 0 <= from && from < to && to <= text.length)).toBe(true);
      }),
    );
  });
});
