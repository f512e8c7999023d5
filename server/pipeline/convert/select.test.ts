import { describe, expect, test } from "vitest";
import { DomainError } from "../../domain/errors.ts";
import { DocumentError } from "../errors.ts";
import {
  type Availability,
  conversionSentences,
  type Converter,
  EngineFailure,
  type EngineName,
  officeFormat,
} from "./converter.ts";
import { afterFailure } from "../jobs/failures.ts";
import { createConverters } from "./select.ts";

const installed: Availability = { available: true, version: "1", location: "/there" };
const absent: Availability = { available: false, reason: "it is not there" };
const document = { file: "/in", extension: "docm", output: "/out.pdf" };

interface Fake extends Converter {
  calls: number;
}

function fake(name: EngineName, availability: Availability, convert: Converter["convert"] = async () => {}): Fake {
  const engine: Fake = {
    name,
    calls: 0,
    available: async () => availability,
    convert(job, signal) {
      engine.calls += 1;
      return convert(job, signal);
    },
    close: async () => {},
  };
  return engine;
}

const failing = (engine: EngineName, kind: "start" | "crash") => (): Promise<void> =>
  Promise.reject(new EngineFailure(engine, kind, "no"));

const options = (signal = new AbortController().signal) => ({ signal, timeoutMs: 1000 });

describe("the engine that converts", () => {
  test("is system LibreOffice where it is installed, else WASM", async () => {
    const engines = { soffice: fake("soffice", installed), wasm: fake("wasm", installed) };
    const both = createConverters({ choice: "auto", engines });
    expect(await both.convert(document, options())).toEqual({ engine: "soffice" });
    expect((await both.describe()).inUse).toEqual(["soffice", "wasm"]);
    const bare = createConverters({ choice: "auto", engines: { ...engines, soffice: fake("soffice", absent) } });
    expect(await bare.convert(document, options())).toEqual({ engine: "wasm" });
    expect((await bare.describe()).reason).toBe("LibreOffice as WASM, because it is not there");
  });

  test("is the chosen one alone", async () => {
    const engines = { soffice: fake("soffice", installed, failing("soffice", "crash")), wasm: fake("wasm", installed) };
    await expect(createConverters({ choice: "soffice", engines }).convert(document, options())).rejects.toThrow(
      "breaks the converter",
    );
    expect(engines.wasm.calls).toBe(0);
  });

  test("is followed by the other one after a failure of its own", async () => {
    const engines = { soffice: fake("soffice", installed, failing("soffice", "crash")), wasm: fake("wasm", installed) };
    const heard: string[] = [];
    const conversions = createConverters({
      choice: "auto",
      engines,
      onEngineFailure: (failure) => heard.push(failure.engine),
    });
    expect(await conversions.convert(document, options())).toEqual({ engine: "wasm" });
    expect(heard).toEqual(["soffice"]);
  });

  test("is not followed by the other one when the document is at fault", async () => {
    const engines = {
      soffice: fake("soffice", installed, () => Promise.reject(conversionSentences.time(90_000))),
      wasm: fake("wasm", installed),
    };
    const conversion = createConverters({ choice: "auto", engines }).convert(document, options());
    await expect(conversion).rejects.toThrow("takes longer than 90 s");
    expect(engines.wasm.calls).toBe(0);
  });

  test("blames the document only if an engine got as far as the document", async () => {
    const crash = { soffice: fake("soffice", absent), wasm: fake("wasm", installed, failing("wasm", "crash")) };
    await expect(createConverters({ choice: "auto", engines: crash }).convert(document, options())).rejects.toThrow(
      DocumentError,
    );
    const start = { soffice: fake("soffice", absent), wasm: fake("wasm", installed, failing("wasm", "start")) };
    const failure: unknown = await createConverters({ choice: "auto", engines: start })
      .convert(document, options())
      .catch((cause: unknown) => cause);
    expect(failure).toBeInstanceOf(DomainError);
    expect(failure).toMatchObject({ kind: "unavailable" });
  });

  test("is missed with what to install, and not tried again", async () => {
    const engines = { soffice: fake("soffice", absent), wasm: fake("wasm", absent) };
    const failure: unknown = await createConverters({ choice: "auto", engines })
      .convert(document, options())
      .catch((cause: unknown) => cause);
    expect(failure).toMatchObject({
      kind: "unsupported",
      message: expect.stringMatching(/cannot be converted here: it is not there.*install LibreOffice/),
    });
    expect(afterFailure(failure, 0).pauseMs).toBeUndefined();
  });
});

describe("a conversion", () => {
  test("waits for its turn, and starts only then", async () => {
    const gate = Promise.withResolvers<void>();
    const engines = {
      soffice: fake("soffice", absent),
      wasm: fake("wasm", installed, () => gate.promise),
    };
    const conversions = createConverters({ choice: "auto", engines, slots: 1 });
    const started: number[] = [];
    const runs = [1, 2].map((number) =>
      conversions.convert(document, { ...options(), onStart: () => void started.push(number) }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual([1]);
    gate.resolve();
    await Promise.all(runs);
    expect(started).toEqual([1, 2]);
  });

  test("that is aborted while it waits never starts, and gives its turn to the next", async () => {
    const gate = Promise.withResolvers<void>();
    const engines = { soffice: fake("soffice", absent), wasm: fake("wasm", installed, () => gate.promise) };
    const conversions = createConverters({ choice: "auto", engines, slots: 1 });
    const controller = new AbortController();
    const first = conversions.convert(document, options());
    const second = conversions.convert(document, options(controller.signal));
    const third = conversions.convert(document, options());
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error("cancelled"));
    await expect(second).rejects.toThrow("cancelled");
    gate.resolve();
    await Promise.all([first, third]);
    expect(engines.wasm.calls).toBe(2);
  });
});

test("variants are converted like their plain formats", () => {
  expect(["DOCM", "dotx", "ppsx", "xlsm"].map(officeFormat)).toEqual(["docx", "docx", "pptx", "xlsx"]);
  expect(["pdf", "odt", "constructor", ""].map(officeFormat)).toEqual([undefined, undefined, undefined, undefined]);
});
