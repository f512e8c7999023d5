import { type Filter, readCondition } from "@drs/client";

/** A page to which similar pages are searched. */
export interface PageOfDataset {
  readonly datasetId: string;
  /** From 1. */
  readonly page: number;
}

/** The query in the address. */
export interface Question {
  readonly words: string;
  /** The id of a picture stored in this browser. */
  readonly pictureId: string | undefined;
  readonly like: PageOfDataset | undefined;
  /** Conditions on the documents' metadata, as written. All have to hold. */
  readonly where: readonly string[];
  /** The documents to search; all if empty. */
  readonly datasetIds: readonly string[];
  /** The extensions of the documents to search; all if empty. */
  readonly formats: readonly string[];
}

/** The formats offered; the address may have others. */
export const knownFormats = ["pdf", "docx", "pptx", "xlsx"] as const;

export function readQuestion(parameters: URLSearchParams): Question {
  return {
    words: parameters.get("q")?.trim() ?? "",
    pictureId: parameters.get("picture") ?? undefined,
    like: pageIn(parameters.get("like") ?? ""),
    where: parameters.getAll("where"),
    datasetIds: parameters.getAll("dataset"),
    formats: parameters.getAll("ext").filter((format) => /^[0-9a-z]{1,16}$/i.test(format)),
  };
}

/** Returns the address of a query. */
export function addressOf({ words, pictureId, like, where, datasetIds, formats }: Question): string {
  const parameters = new URLSearchParams();
  if (words !== "") parameters.set("q", words);
  if (pictureId !== undefined) parameters.set("picture", pictureId);
  if (like !== undefined) parameters.set("like", `${like.datasetId}.${like.page}`);
  for (const id of datasetIds) parameters.append("dataset", id);
  for (const format of formats) parameters.append("ext", format);
  for (const condition of where) parameters.append("where", condition);
  const text = parameters.toString();
  return text === "" ? "/" : `/search?${text}`;
}

export const emptyQuestion: Question = {
  words: "",
  pictureId: undefined,
  like: undefined,
  where: [],
  datasetIds: [],
  formats: [],
};

/** Whether there is something to search for. Filters alone are not enough. */
export const isAsked = ({ words, pictureId, like }: Question): boolean =>
  words !== "" || pictureId !== undefined || like !== undefined;

/** Throws `TypeError` if a condition is invalid. */
export function filterOf({ where }: Question): Filter | undefined {
  return where.length === 0 ? undefined : { $and: where.map(readCondition) };
}

function pageIn(text: string): PageOfDataset | undefined {
  const found = /^(\w+)\.([1-9]\d{0,6})$/.exec(text);
  if (found === null) return undefined;
  const [, datasetId = "", page] = found;
  return { datasetId, page: Number(page) };
}
