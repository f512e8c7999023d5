import { describe, expect, it } from "vitest";
import { isUsable, withRead } from "./text-layer.ts";

const page = "The harbour master kept a ledger of every vessel that anchored beyond the lighthouse, with the names.";

describe("a text layer", () => {
  it.each([
    ["of prose", page],
    ["of numbers", Array.from({ length: 40 }, (_, row) => `${row} 1,284.50 (3.1%)`).join("\n")],
    ["in a script without spaces", "灯台の向こうに停泊した船はすべて帳簿に記された".repeat(4)],
    ["in an alphabet of its own", "Начальник порта вёл книгу обо всех судах, стоявших на якоре за маяком, и о грузе"],
  ])("%s is of use", (_, words) => expect(isUsable(words)).toBe(true));

  it.each([
    ["that is empty", ""],
    ["of a page number", "- 17 -"],
    ["of glyphs without a meaning", "\ue001\ue002 \ue003\ue004".repeat(60)],
    ["of signs instead of letters", `!"#$ %&'( )*+, -./: ;<=> `.repeat(40) + page],
  ])("%s is of none", (_, words) => expect(isUsable(words)).toBe(false));
});

describe("words for the index", () => {
  it("are the text layer's where the picture shows no more", () => {
    expect(withRead("Annual Report", "Annua1 Report")).toBe("Annual Report");
    expect(withRead("Annual Report", "")).toBe("Annual Report");
  });

  it("are those that were read, after a stamp that is text", () => {
    expect(withRead("Scanned 2019", page)).toBe(`Scanned 2019\n${page}`);
    expect(withRead("", page)).toBe(page);
  });

  it("are not made of what fonts garble", () => {
    expect(withRead(`!"#$ %&'( )*+, -./: ;<=> `.repeat(40) + page, "read")).toBe("read");
  });
});
