import { join } from "node:path";
import { readSettings } from "../../server/config.ts";
import type { EngineName } from "../../server/pipeline/convert/converter.ts";
import { type Conversions, createConverters } from "../../server/pipeline/convert/select.ts";
import type { OfficeDocument } from "./documents.ts";

/** A converter as the service uses it, with its settings. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Returns the seconds until the PDF is complete at `output`. Throws the errors of the service's converter. */
  convert(document: OfficeDocument, output: string): Promise<number>;
}

export interface Engines {
  readonly present: readonly Engine[];
  /** Reasons why engines are missing. */
  readonly missing: ReadonlyMap<EngineName, string>;
  close(): Promise<void>;
}

const names: readonly EngineName[] = ["wasm", "soffice"];

/** Opens the converters that this machine has. Each is used alone, so that none falls back to another. */
export async function openEngines(folder: string): Promise<Engines> {
  const present: Engine[] = [];
  const missing = new Map<EngineName, string>();
  const opened: Conversions[] = [];
  for (const name of names) {
    const conversions = createConverters({ choice: name, slots: 1, scratchParent: join(folder, "convert") });
    opened.push(conversions);
    const availability = (await conversions.describe()).engines[name];
    if (availability.available) present.push(engineOf(name, availability.version, conversions));
    else missing.set(name, availability.reason);
  }
  return {
    present,
    missing,
    close: async () => void (await Promise.all(opened.map((conversions) => conversions.close()))),
  };
}

function engineOf(name: EngineName, version: string, conversions: Conversions): Engine {
  const { maxSheetPages, convertTimeoutMs } = readSettings({ flags: {}, env: {} });
  return {
    name,
    version,
    async convert({ file, format }, output) {
      const since = performance.now();
      await conversions.convert(
        { file, extension: format, output, ...(format === "xlsx" && { lastPage: maxSheetPages + 1 }) },
        { signal: new AbortController().signal, timeoutMs: convertTimeoutMs },
      );
      return (performance.now() - since) / 1000;
    },
  };
}
