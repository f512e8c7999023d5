import { describe, expect, it } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { bestInOrder, phraseFinder } from "./phrases.ts";
import { pageTerms, termsInOrder } from "../terms/terms.ts";

const has = (page: string, ...phrases: readonly string[]): boolean => phraseFinder(phrases)(pageTerms(page));

describe("phrases", () => {
  it("are found as they are written, except for case and accents", () => {
    const page = "The TraceMonkey VM of the e-mail team:\nto be or not to be, ISO9001 and Café-Bars in 1,234.50 steps";
    for (const phrase of [
      "the tracemonkey vm",
      "TraceMonkey VM OF the E-Mail team",
      "team to be",
      "to be or not to be",
      "iso9001 and cafe bars",
      "in 1234.5 steps",
      "steps",
    ]) {
      expect({ phrase, has: has(page, phrase) }).toEqual({ phrase, has: true });
    }
    for (const phrase of [
      "trace monkey",
      "monkey vm",
      "the vm",
      "iso 9001",
      "9001 and",
      "be not",
      "steps to",
      "ste",
      "",
    ]) {
      expect({ phrase, has: has(page, phrase) }).toEqual({ phrase, has: false });
    }
    expect(has(page, "the tracemonkey", "1234.5 steps")).toBe(true);
    expect(has(page, "the tracemonkey", "1234.5 stops")).toBe(false);
    expect(has("TraceMonkey, a Trace Monkey", "trace monkey")).toBe(true);
  });

  it("are found in scripts without spaces", () => {
    const page = "本書ではデータベースの設定方法と起動手順を説明します。";
    expect([has(page, "設定方法"), has(page, "データベースの設定方法"), has(page, "方法設定")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([has("网络配置以及安装", "网络配置"), has("网络以及配置", "网络配置")]).toEqual([true, false]);
    expect([has("서버의 설치 방법", "설치 방법"), has("방법의 설치", "설치 방법")]).toEqual([true, false]);
  });

  it("are found on every page that has their words one after another", () => {
    const random = createRandom(3);
    const some = [
      "otter",
      "Otter",
      "riverBank",
      "river",
      "bank",
      "the",
      "aB",
      "ISO9001",
      "iso",
      "9001",
      "HTTPServer",
      "1,5",
    ];
    const text = (most: number): string =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () => some[Math.floor(random() * some.length)]).join(" ");
    let found = 0;
    for (let round = 0; round < 3_000; round++) {
      const [page, phrase] = [text(30), text(4)];
      const expected = ` ${termsInOrder(page).join(" ")} `.includes(` ${termsInOrder(phrase).join(" ")} `);
      expect({ page, phrase, has: has(page, phrase) }).toEqual({ page, phrase, has: expected });
      if (expected) found++;
    }
    expect(found).toBeGreaterThan(500);
  });

  it("are searched in no more pages than necessary", async () => {
    const hits = Array.from({ length: 1_000 }, (_, page) => ({ page, score: 1, generation: "" }) as never);
    let looked = 0;
    const found = await bestInOrder(hits, 120, async (some) => {
      looked += some.length;
      return some.filter(({ page }) => page % 2 === 0);
    });
    expect(found.map(({ page }) => page)).toEqual(Array.from({ length: 120 }, (_, at) => 2 * at));
    expect(looked).toBe(400);
  });
});
