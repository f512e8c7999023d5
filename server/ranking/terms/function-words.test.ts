import { describe, expect, it, test } from "vitest";
import { withoutFunctionWords } from "./function-words.ts";

const left = (text: string): string[] => withoutFunctionWords(text).match(/[\p{L}\p{N}]+/gu) ?? [];

describe("function words", () => {
  test.each<[string, string, string]>([
    ["particles and endings", "ポンプを交換するにはどうすればいいですか？", "ポンプ 交換"],
    ["endings of verbs", "鍵を忘れて入れられないのはなぜ？", "鍵 忘 入"],
    ["questions in other words", "部品の注文について詳しく教えてください。", "部品 注文 詳 教"],
    ["words beside Latin letters and numbers", "USB の 5GB をそれぞれいくつにするのがよいですか", "USB の 5GB を"],
    ["Korean particles and endings", "서버에서 파일을 삭제하는 방법은 무엇입니까?", "서버 파일 삭제 방법"],
    ["Chinese question words", "如何安装水泵？为什么漏水", "安装水泵 漏水"],
  ])("are taken away: %s", (_, question, words) => expect(left(question).join(" ")).toBe(words));

  test.each(["りんごのかわをたべる", "ことば", "さかな", "회의", "검색 창", "手机的价格", "the of and"])(
    "%s is left as it is",
    (question) => expect(left(question).join(" ")).toBe(question),
  );

  it("are not removed from names in hiragana", () => {
    expect(left("京都のおまんじゅうについて")).toEqual(["京都", "のおまんじゅう"]);
    expect(left("うどんとそばの値段")).toEqual(["うどんとそば", "値段"]);
  });

  it("are found in time proportional to the length of the text", () => {
    for (const text of ["の", "すれば", "漢の", "하는", "如何", "𠀀が", "さ"]) {
      expect(left(text.repeat(2_000)).join("").length).toBeLessThanOrEqual(text.length * 2_000);
    }
  });
});
