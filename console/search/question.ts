import { type Filter, readCondition } from "@drs/client";

/** A page that others shall be like. */
export interface PageOfDataset {
  readonly datasetId: string;
  /** From 1. */
  readonly page: number;
}

/** What is asked, as the address has it. */
export interface Question {
  readonly words: string;
  /** Of a picture that this browser keeps; undefined: none. */
  readonly pictureId: string | undefined;
  readonly like: PageOfDataset | undefined;
  /** Conditions of the documents' metadata, as they were written; all have to hold. */
  readonly where: readonly string[];
  /** Only pages of these; empty: of all. */
  readonly datasetIds: readonly string[];
  /** Only pages of documents with these extensions; empty: of every format. */
  readonly formats: readonly string[];
}

/** What can be chosen; the address may have others. */
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

/** The address of a question. */
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

/** Filters alone ask nothing. */
export const isAsked = ({ words, pictureId, like }: Question): boolean =>
  words !== "" || pictureId !== undefined || like !== undefined;

/** Throws `TypeError` if a condition is none. */
export function filterOf({ where }: Question): Filter | undefined {
  return where.length === 0 ? undefined : { $and: where.map(readCondition) };
}

function pageIn(text: string): PageOfDataset | undefined {
  const found = /^(\w+)\.([1-9]\d{0,6})$/.exec(text);
  if (found === null) return undefined;
  const [, datasetId = "", page] = found;
  return { datasetId, page: Number(page) };
}
