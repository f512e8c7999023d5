import { readSet } from "../sets.ts";
import type { CollectedDocument, Collection, DocumentQuestion } from "./collection.ts";

/** Returns a whole number from 0 to below the given one. */
export type Random = (most: number) => number;

const companies = 50;
/** Years of annual reports; the original texts are about the third year and the one before. */
const years = [2017, 2018, 2019, 2020, 2021];
const yearOfTexts = 2019;
/** Texts per company, so that several companies report the same things in the same words. */
const textsOfCompany = 24;
const maxQuestions = 250;

const beginnings = "Arden Calder Corvin Del Fen Gar Hal Kestrel Mar Thorn".split(" ");
const endings = "brook field gate mont wick".split(" ");
const trades = "Foods Energy Paper Systems Resorts Health Motors Materials Devices Stores".split(" ");

/**
 * Builds a collection of annual reports. Every year each company repeats its texts of the previous year with other numbers, and
 * several companies share the same texts. Only the names of the documents tell the reports apart; a question has the name of its
 * document in other words.
 */
export async function readFilings(dataDir: string, random: Random): Promise<Collection> {
  const set = await readSet(dataDir, "tatqa");
  const asked = Map.groupBy(set.questions, ({ answers }) => [...answers][0] ?? 0);
  const documents: CollectedDocument[] = [];
  const questions: DocumentQuestion[] = [];
  for (let company = 0; company < companies; company++) {
    const name = nameOf(company);
    const texts = Array.from({ length: textsOfCompany }, () => random(set.documents.length));
    const [hasRunningHead, isGlued] = [random(3) === 0, random(2) === 0];
    for (const year of years) {
      const document = documents.length;
      const head = hasRunningHead ? `${name}, Inc. ${year} Form 10-K ` : "";
      const pages = texts.map((text) => head + withOtherNumbers(inYear(set.documents[text] ?? "", year), random));
      documents.push({ fileName: fileNameOf(name, year, isGlued), pages: [coverOf(name, year), ...pages] });
      const page = random(texts.length);
      const questionsOfPage = asked.get(texts[page] ?? 0) ?? [];
      const question = questionsOfPage[random(questionsOfPage.length)];
      if (question === undefined || questions.length >= maxQuestions) continue;
      const text = askOf(inYear(question.text, year), name, year, random);
      questions.push({ text, document, pages: new Set([page + 2]), isNamed: true });
    }
  }
  return { name: "filings", documents, questions };
}

const nameOf = (company: number): string => {
  const [beginning, ending] = [
    beginnings[company % beginnings.length],
    endings[Math.floor(company / beginnings.length)],
  ];
  return `${beginning ?? ""}${ending ?? ""} ${trades[(company * 3) % trades.length] ?? ""}`;
};

const fileNameOf = (name: string, year: number, isGlued: boolean): string =>
  `${name.toUpperCase().replace(" ", isGlued ? "" : "_")}_${year}_10K.pdf`;

const coverOf = (name: string, year: number): string =>
  `UNITED STATES SECURITIES AND EXCHANGE COMMISSION Washington, D.C. FORM 10-K Annual report pursuant to section 13 or 15(d) ` +
  `of the Securities Exchange Act of 1934 for the fiscal year ended December 31, ${year} ${name}, Inc. (Exact name of ` +
  `registrant as specified in its charter) Indicate by check mark whether the registrant is a large accelerated filer`;

function askOf(text: string, name: string, year: number, random: Random): string {
  const bare = text.replace(/[?.\s]+$/, "");
  const ways = [
    `${bare} for ${name} in FY${year}?`,
    `In ${name}'s FY${year} 10-K, ${bare}?`,
    `${bare}? Answer from the ${year} annual report of ${name}.`,
    `Based on the ${year} filing of ${name}, ${bare}?`,
    `${name} FY${year}: ${bare}?`,
  ];
  return ways[random(ways.length)] ?? text;
}

/** Shifts years, including those written with two digits. */
const inYear = (text: string, year: number): string =>
  text
    .replace(/\b20[12]\d\b/g, (written) => String(Number(written) + year - yearOfTexts))
    .replace(/\bFY(1\d)\b/g, (_, written: string) => `FY${Number(written) + year - yearOfTexts}`);

/** Replaces the digits of every number of three or more digits that is not a year. */
const withOtherNumbers = (text: string, random: Random): string =>
  text.replace(/\d[\d,.]*\d/g, (number) =>
    /^20[12]\d$/.test(number) || number.replace(/\D/g, "").length < 3
      ? number
      : number.replace(/\d/g, (digit, place: number) => (place === 0 ? digit : String(random(10)))),
  );
