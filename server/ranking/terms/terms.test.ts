import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { queryTerms, gluedTerms, pageTerms, questionTerms, termsInOrder } from "./terms.ts";

const asked = (text: string): readonly string[] => questionTerms(text);
/** Whether a page with the text has every term of the question. */
const answers = (page: string, question: string): boolean => {
  const terms = new Set(pageTerms(page).split(" "));
  return asked(question).every((term) => terms.has(term));
};

describe("terms", () => {
  it("are the words, without accents, ligatures and punctuation", () => {
    expect(asked("The “naïve” ﬁt: of Café's prices (2024)")).toEqual([
      "The",
      "naive",
      "fit",
      "of",
      "Cafe",
      "prices",
      "2024",
    ]);
    expect(asked("ё й ά")).toEqual(["е", "и", "α"]);
    expect(asked(" \n?!– ")).toEqual([]);
  });

  it("are overlapping characters in scripts without spaces", () => {
    expect(asked("税金の計算方法は？")).toEqual(["税金", "計算", "算方", "方法"]);
    expect(asked("データ")).toEqual(["デー", "ータ"]);
    expect(asked("검색 창")).toEqual(["검색", "창"]);
    expect(asked("ระบบ")).toEqual(["ระบ", "ะบบ"]);
    expect(answers("本書ではデータベースの設定方法を説明する。", "データベースの設定")).toBe(true);
    expect(answers("ขั้นตอนการติดตั้งระบบปฏิบัติการ", "ติดตั้งระบบ")).toBe(true);
  });

  it("include the forms of text layers if these differ from what people write", () => {
    const layer = (text: string): string => text.normalize("NFKC");
    expect(answers(layer("ขั้นตอนการทำงานของระบบ"), "ทำงาน")).toBe(true);
    expect(answers(layer("ການເຮັດວຽກນຳກັນ"), "ນຳກັນ")).toBe(true);
    const finds = (page: string, question: string): boolean =>
      queryTerms(question).terms.some((term) => pageTerms(page).split(" ").includes(term));
    // Text of files by LibreOffice and others, as PDFium reads it.
    expect(finds("السالم عليكم", "السلام")).toBe(true);
    expect(finds("اإلسالم", "الإسلام")).toBe(true);
    expect(finds(layer("\ufef9\ufeb3\ufefc\ufee1"), "لإسلام")).toBe(true);
    // The name of a document is indexed as it is written.
    expect(finds("คู่มือทำงาน", "ทำงาน")).toBe(true);
    expect(termsInOrder("ทำ")).toEqual([layer("ทำ")]);
  });

  it("include the parts of identifiers, and both forms of a hyphenated word", () => {
    expect(asked("the getElementById XMLHttpRequest ODE45")).toEqual(
      ["the", "getElementById", "get", "Element", "By", "Id"].concat(
        "XMLHttpRequest",
        "XML",
        "Http",
        "Request",
        "ODE45",
        "ODE",
        "45",
      ),
    );
    expect(answers("Send an e-mail about the inte-\n  gration", "the email integration")).toBe(true);
    expect(answers("the max_value of std::vector", "the vector max value")).toBe(true);
    expect(asked(`the ${"aB".repeat(20)}`)).toHaveLength(2);
  });

  it("begin with those of the beginning of the text", () => {
    expect(pageTerms("Heading of the page, and a long-standing e-mail")).toBe(
      "Heading of the page and a long standing e mail longstanding email",
    );
  });

  it("are the same for a number however it is written", () => {
    for (const written of ["1,234.50", "1.234,50", "1'234.5", "1234.50", "1234,5"]) {
      expect(asked(`the ${written}`)).toEqual(["the", "1234d5"]);
    }
    expect(asked("the 1,234 1.234 1234 12.00")).toEqual(["the", "1234", "1234", "1234", "12"]);
    expect(asked("the v3.1.2 10.0.0.1 3.14")).toEqual(["the", "3d1d2", "10d0d0d1", "3d14"]);
  });

  it("include the beginnings of words on pages and in questions that are not in English", () => {
    expect(answers("Die Kündigungsfristen für Mietverträge", "Kündigungsfrist")).toBe(false);
    const shared = (page: string, question: string): string[] => {
      const terms = new Set(pageTerms(page).split(" "));
      return asked(question).filter((term) => terms.has(term));
    };
    expect(shared("Die Kündigungsfristen für Mietverträge", "Kündigungsfrist")).toEqual(["Kundi*"]);
    expect(shared("les frais remboursés après le départ", "remboursement des frais")).toContain("rembo*");
    expect(shared("установка сервера", "установить сервер")).toEqual(["устан*", "серв*", "серве*"]);
    expect(pageTerms("The cancellation period of a lease, for which the naïve tenant is liable")).not.toContain("*");
    expect(asked("what is the cancellation period")).not.toContainEqual(expect.stringContaining("*"));
  });

  it("include the last parts of compounds on German and Dutch pages", () => {
    const page = "Das Dampfschiff und die Haftpflichtversicherungen der Güterwagen für das Trinkwasser";
    const found = (question: string, text = page): string[] => {
      const terms = new Set(pageTerms(text).toLowerCase().split(" "));
      return queryTerms(question).terms.filter((term) => terms.has(term.toLowerCase()));
    };
    expect(found("Schiff")).toEqual(["*chiff*"]);
    expect(found("die Schiffe")).toEqual(["*chiff*"]);
    expect(found("Dampf")).toEqual(["Dampf*"]);
    expect(found("Versicherung")).toEqual(["*icherung*"]);
    expect(found("Wagen für Wasser")).toEqual(["*Wagen*", "*asser*"]);
    expect(found("een schip", "Het stoomschip en de waterkering zijn één van de werken")).toEqual(["*schip*"]);
    expect(pageTerms("L’interprétation de la constitution est réservée aux autorités")).not.toContain(" *");
    expect(queryTerms("quelle est la constitution").terms).not.toContain("*titution*");
  });

  it("are separated by single spaces, and are not many times longer than the text", () => {
    assert(
      property(string({ unit: "binary", maxLength: 60 }), (text) => {
        const terms = pageTerms(text);
        expect(terms).not.toMatch(/\s\s|^\s|\s$/);
        expect(terms.length).toBeLessThanOrEqual(40 * text.length);
      }),
      { examples: [["\u0301 a"], ["\ufe70"], ["\ufdfa"], ["ー"], ["1.2.3,4"]] },
    );
  });

  it("of a question are unique, without the stop words of its language", () => {
    const terms = (text: string): readonly string[] => queryTerms(text).terms;
    expect(terms("What does the Loop do before a loop ends, because of what?")).toEqual(["Loop", "ends"]);
    expect(terms("Wann ist die Frist für die Kündigung?")).toEqual([
      "Frist",
      "Kundigung",
      "Fris*",
      "Frist*",
      "*Frist*",
      "Kundi*",
      "*undigung*",
    ]);
    expect(terms("when did the engine die")).toEqual(["engine", "die"]);
    expect(terms("quelles sont les dépenses")).toEqual(["depenses", "depen*"]);
    expect(terms("to be or not to be")).toEqual(["to", "be", "or", "not"]);
    expect(terms(" ?! ")).toEqual([]);
  });

  it("of a question in a script without spaces have no particles and endings, unless it has nothing else", () => {
    expect(queryTerms("ポンプの交換はどうすればいいですか？").terms).toEqual(["ポン", "ンプ", "交換"]);
    expect(queryTerms("どうすれば").terms).toEqual(["どう", "うす", "すれ", "れば"]);
    expect(asked("펌프를 교체하는 방법은 무엇입니까?")).toEqual(["펌프", "교체", "방법"]);
    expect(pageTerms("펌프를 교체")).toBe("펌프 프를 교체");
  });

  it("of a question include neighbouring words as one, as file names have them", () => {
    expect(gluedTerms("Is an otter report, of 2018, in “Übersicht Häfen”?")).toEqual(["otterreport", "UbersichtHafen"]);
    expect(gluedTerms("the Otter River Works")).toEqual([
      "theOtter",
      "theOtterRiver",
      "OtterRiver",
      "OtterRiverWorks",
      "RiverWorks",
    ]);
    expect(gluedTerms("otters")).toEqual([]);
    expect(gluedTerms("otter lynx ".repeat(1_000)).length).toBeLessThanOrEqual(32);
  });

  it("of a question do not include the parts of identifiers, except of codes", () => {
    const { terms, identifiers } = queryTerms("how does TraceMonkey trace a loop");
    expect(terms).toEqual(["TraceMonkey", "trace", "loop"]);
    expect(identifiers).toEqual([{ whole: "TraceMonkey", parts: ["Trace", "Monkey"] }]);
    expect(queryTerms("the ISO9001 rules")).toEqual({ terms: ["ISO9001", "ISO", "9001", "rules"], identifiers: [] });
  });

  it("keep the order in which words are written", () => {
    expect(termsInOrder("The TraceMonkey VM of the E-Mail")).toEqual([
      "the",
      "tracemonkey",
      "vm",
      "of",
      "the",
      "e",
      "mail",
    ]);
    expect(termsInOrder("1234.5")).toEqual(["1234d5"]);
  });

  it("are made of text of any kind and length", () => {
    for (const text of ["漢", "aB", "1,", "-a", "a-\n", "a- ", "ก", "é"]) {
      expect(pageTerms(text.repeat(120_000)).length).toBeGreaterThan(0);
      expect(questionTerms(text.repeat(120_000)).length).toBeLessThanOrEqual(500);
    }
  });
});
