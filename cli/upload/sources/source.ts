import { basename } from "node:path";
import type { Metadata } from "@drs/client";
import type { Source as Input } from "../../world.ts";

/** A file to send. */
export interface FileSource {
  readonly kind: "file";
  /** As it was named or reached. */
  readonly path: string;
  /** What a line of progress calls it. */
  readonly label: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** The options of the interrupted run that began it; undefined: those of this run. */
  readonly options?: DocumentOptions;
}

/** How a document is to be taken in. */
export interface DocumentOptions {
  /** The dataset that it is to be a new version of; undefined: it becomes a dataset of its own. */
  readonly datasetId?: string | undefined;
  readonly vectorize: boolean;
  readonly expiresInDays: number | undefined;
  /** What is said of it; undefined: nothing. */
  readonly metadata?: Metadata | undefined;
  /** An address that is told when its job ends; undefined: none. */
  readonly callbackUrl?: string | undefined;
  /** What to do about the same bytes; undefined: the service's default. */
  readonly ifExists?: "create" | "return" | undefined;
  /** Its name; undefined: the name of its file. */
  readonly fileName: string | undefined;
}

/** A document that the service fetches by itself. */
export interface UrlSource {
  readonly kind: "url";
  readonly url: URL;
  /** Without what may be secret in an address: user, password and query. */
  readonly label: string;
}

/** What another program writes into this one. */
export interface InputSource {
  readonly kind: "input";
  readonly input: Input;
  readonly label: string;
}

export type Source = FileSource | UrlSource | InputSource;

/** Something that was named or found and cannot even be tried. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly path: string;
  readonly label: string;
  readonly cause: unknown;
}

/** How results call it: files as they were named, so that they can be found again. */
export function nameOfSource(source: Source | Unreadable): string {
  if (source.kind === "url") return source.url.href;
  return source.kind === "input" ? inputWord : source.path;
}

/** The word of the command line that means standard input. */
export const inputWord = "-";

/** The address that a word of the command line means; undefined: it means something else. */
export function urlSource(word: string): UrlSource | undefined {
  if (!/^https?:\/\//i.test(word) || !URL.canParse(word)) return undefined;
  const url = new URL(word);
  return { kind: "url", url, label: decoded(basename(url.pathname)) || url.host };
}

/** A name as a person reads it; for addresses without what may be secret in them: user, password and query. */
export function shownName(file: string): string {
  const url = urlSource(file)?.url;
  return url === undefined ? file : `${url.origin}${url.pathname}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // Not every percent sign is the beginning of a code.
    return name;
  }
}
