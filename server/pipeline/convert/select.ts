import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import { unavailable, unsupported } from "../../domain/errors.ts";
import { DocumentError } from "../errors.ts";
import {
  type Availability,
  conversionSentences,
  type Converter,
  EngineFailure,
  type EngineName,
  officeFormat,
} from "./converter.ts";
import { createSlots } from "../threads/slots.ts";
import { createSoffice } from "./soffice/soffice.ts";
import { createWasm } from "./wasm/wasm.ts";

export type ConverterChoice = "auto" | EngineName;

/** Converts Office documents to PDF, a few at a time, with the engines of this machine. */
export interface Conversions {
  /**
   * Converts a document as soon as a slot is free, and calls `onStart` then; waiting does not count towards the time limit.
   * Throws `DocumentError` if the document is at fault, `unsupported` if there is no engine, `unavailable` if all fail, and the
   * signal's reason.
   */
  convert(document: OfficeDocument, options: ConvertOptions): Promise<{ readonly engine: EngineName }>;
  describe(): Promise<ConversionsDescription>;
  close(): Promise<void>;
}

export interface OfficeDocument {
  /** Local path of the document, which is only read. */
  readonly file: string;
  /** The file extension of its kind, without dot: "docx", "xlsm". */
  readonly extension: string;
  /** Local path of the PDF to write; after a failure no file is left. */
  readonly output: string;
  /** The last page of a spreadsheet's PDF. With one page more than allowed, the caller sees that the document is too long. */
  readonly lastPage?: number;
}

interface ConvertOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onStart?: () => void | Promise<void>;
}

interface ConversionsDescription {
  readonly choice: ConverterChoice;
  /** The engines in the order in which they are tried; empty if Office documents cannot be converted. */
  readonly inUse: readonly EngineName[];
  /** Explains the choice in a sentence. */
  readonly reason: string;
  readonly engines: Readonly<Record<EngineName, Availability>>;
}

interface ConversionsOptions {
  readonly choice: ConverterChoice;
  /** Memory limit of one conversion. */
  readonly maxRssBytes?: number;
  /** Maximum conversions at a time. */
  readonly slots?: number;
  /** The parent of temporary folders; the system's by default. */
  readonly scratchParent?: string;
  /** Called with the reason of an engine's failure, which the document's owner does not see. */
  readonly onEngineFailure?: (failure: EngineFailure) => void;
  /** Set by tests. */
  readonly engines?: Readonly<Record<EngineName, Converter>>;
}

/** Less than 2.5 GB, because an engine grows a little further until it is stopped. */
const defaultConverterMemoryBytes = 2_300 * 2 ** 20;

export function createConverters(options: ConversionsOptions): Conversions {
  const { choice, scratchParent, onEngineFailure, maxRssBytes = defaultConverterMemoryBytes } = options;
  const engines = options.engines ?? {
    soffice: createSoffice({ maxRssBytes, scratchParent }),
    wasm: createWasm({ maxRssBytes }),
  };
  const slots = createSlots(options.slots ?? defaultSlots(maxRssBytes));
  let described: Promise<ConversionsDescription> | undefined;

  function describe(): Promise<ConversionsDescription> {
    described ??= look(choice, engines);
    return described;
  }

  return {
    async convert({ file, extension, output, lastPage }, { signal, timeoutMs, onStart }) {
      const format = officeFormat(extension);
      if (format === undefined) throw conversionSentences.unknownFormat(extension);
      const { inUse, reason } = await describe();
      if (inUse.length === 0) throw noEngine(reason);
      return slots.run(async () => {
        signal.throwIfAborted();
        await onStart?.();
        // The paths become absolute because engines run in other folders.
        const job = { input: resolve(file), format, output: resolve(output), timeoutMs, lastPage };
        const failures: EngineFailure[] = [];
        for (const name of inUse) {
          try {
            await engines[name].convert(job, signal);
            return { engine: name };
          } catch (cause) {
            if (!(cause instanceof EngineFailure)) throw cause;
            signal.throwIfAborted();
            failures.push(cause);
            onEngineFailure?.(cause);
          }
        }
        throw verdict(failures);
      }, signal);
    },
    describe,
    async close() {
      await Promise.all([engines.soffice.close(), engines.wasm.close()]);
    },
  };
}

/** Returns an error that does not suggest a retry, because engines are looked up only once. */
function noEngine(reason: string): Error {
  const next =
    "install LibreOffice, or npm install @matbee/libreoffice-converter, and start drs again; or save the document as PDF and upload that";
  return unsupported(`Office documents cannot be converted here: ${reason}; ${next}`);
}

/** Decides who is at fault: the document if it crashes an engine each time, the service if an engine stalls or does not start. */
function verdict(failures: readonly EngineFailure[]): Error {
  const [cause] = failures;
  if (failures.some(({ kind }) => kind === "crash")) {
    const error = conversionSentences.breaksEngine();
    return new DocumentError(error.fault, error.message, { cause });
  }
  const what = failures.some(({ kind }) => kind === "stall") ? "stalls" : "does not start";
  return unavailable(`the converter for Office documents ${what}; try again, or look at \`drs doctor\``, { cause });
}

async function look(
  choice: ConverterChoice,
  engines: Readonly<Record<EngineName, Converter>>,
): Promise<ConversionsDescription> {
  const [soffice, wasm] = await Promise.all([engines.soffice.available(), engines.wasm.available()]);
  const found = { soffice, wasm };
  const wanted: readonly EngineName[] = choice === "auto" ? ["soffice", "wasm"] : [choice];
  const inUse = wanted.filter((name) => found[name].available);
  return { choice, inUse, reason: reasonFor(choice, found), engines: found };
}

function reasonFor(choice: ConverterChoice, { soffice, wasm }: Record<EngineName, Availability>): string {
  const [chosen, title] =
    choice === "wasm" ? [wasm, "LibreOffice as WASM"] : ([soffice, "system LibreOffice"] as const);
  if (choice !== "auto") {
    return chosen.available ? `${title} is set` : `${title} is set, but ${chosen.reason}`;
  }
  if (soffice.available) return "system LibreOffice is installed";
  if (wasm.available) return `LibreOffice as WASM, because ${soffice.reason}`;
  return `${soffice.reason}, and ${wasm.reason}`;
}

/** Returns one slot per two cores, but no more than fit into half of the memory. */
function defaultSlots(maxRssBytes: number): number {
  // 0 or a huge number means that no limit is set.
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.max(1, Math.min(Math.floor(availableParallelism() / 2), Math.floor(memory / 2 / maxRssBytes)));
}
