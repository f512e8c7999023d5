import { basename } from "node:path";
import type { Metadata } from "@drs/client";
import type { Source as Input } from "../../command-io.ts";
import { usageError } from "../../failures.ts";

/** A file to send. */
export interface FileSource {
  readonly kind: "file";
  /** Path as it was named or reached. */
  readonly path: string;
  /** The name in a progress line. */
  readonly label: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** The options of the interrupted run that started it; undefined for those of this run. */
  readonly options?: DocumentOptions;
}

/** Options of a document. */
export interface DocumentOptions {
  /** The dataset that gets the document as a new version; undefined if it becomes a new dataset. */
  readonly datasetId?: string | undefined;
  readonly vectorize: boolean;
  readonly expiresInDays: number | undefined;
  /** Its metadata; undefined if it has none. */
  readonly metadata?: Metadata | undefined;
  /** An address that is notified when its job ends; undefined if there is none. */
  readonly callbackUrl?: string | undefined;
  /** How to treat bytes that are already stored; undefined for the service's default. */
  readonly ifExists?: "create" | "return" | undefined;
  /** Its name; undefined for the name of its file. */
  readonly fileName: string | undefined;
}

/** A document that the service fetches itself. */
interface UrlSource {
  readonly kind: "url";
  readonly url: URL;
  /** The address without user, password and query, which may be secret. */
  readonly label: string;
}

/** Piped input. */
interface InputSource {
  readonly kind: "input";
  readonly input: Input;
  readonly label: string;
}

export type Source = FileSource | UrlSource | InputSource;

/** A file that was named or found and cannot be read. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly path: string;
  readonly label: string;
  readonly cause: unknown;
}

/** Returns the name in results: files as they were named, so that they can be found again. */
export function nameOfSource(source: Source | Unreadable): string {
  if (source.kind === "url") return source.url.href;
  return source.kind === "input" ? inputWord : source.path;
}

/** The command-line word that stands for standard input. */
export const inputWord = "-";

/** Returns the address that a command-line word stands for; undefined if it is not an address. */
export function urlSource(word: string): UrlSource | undefined {
  if (!/^https?:\/\//i.test(word) || !URL.canParse(word)) return undefined;
  const url = new URL(word);
  return { kind: "url", url, label: decoded(basename(url.pathname)) || url.host };
}

/** Returns a readable name; addresses are shown without user, password and query, which may be secret. */
export function shownName(file: string): string {
  const url = urlSource(file)?.url;
  return url === undefined ? file : `${url.origin}${url.pathname}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // Not every percent sign starts an escape.
    return name;
  }
}

/** Refuses to wait for a terminal, whose user does not know that input is expected. Throws a usage error. */
export function checkInput(input: Input | undefined): void {
  if (input === undefined || input.isTTY === true)
    throw usageError("nothing is piped into drs", "write it like: curl https://example.com/a.pdf | drs upload -");
}

/** Returns piped input as a stream for the client. */
export function inputStream(input: Input): ReadableStream<Uint8Array> {
  return ReadableStream.from(bytesOf(input));
}

async function* bytesOf(input: Input): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of input) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
