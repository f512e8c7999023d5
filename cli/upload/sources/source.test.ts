import { expect, test } from "vitest";
import { urlSource, shownName } from "./source.ts";

test.each([
  ["https://u:p@example.com/a/annual%20report.pdf?sig=1", "annual report.pdf"],
  ["HTTP://example.com/100%.pdf", "100%.pdf"],
  ["https://example.com/", "example.com"],
])("%j is called %j", (word, label) => {
  expect(urlSource(word)?.label).toBe(label);
});

test.each(["a.pdf", "-", "http:", "https//example.com/a.pdf", "ftp://example.com/a.pdf"])(
  "%j is no address",
  (word) => {
    expect(urlSource(word)).toBeUndefined();
  },
);

test("addresses are shown without what may be secret in them", () => {
  expect(shownName("https://u:p@example.com:1/a.pdf?sig=1#x")).toBe("https://example.com:1/a.pdf");
  expect(shownName("docs/a?.pdf")).toBe("docs/a?.pdf");
});
