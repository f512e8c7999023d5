import { constants, copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type Availability,
  type ConversionJob,
  conversionSentences,
  type Converter,
  EngineFailure,
  type OfficeFormat,
} from "../converter.ts";
import { layOutFonts } from "../fonts/font-config.ts";
import { isWholePdf, pdfOptions } from "../pdf-file.ts";
import { watchMemory } from "../process-memory.ts";
import { openScratch, type Scratch } from "../scratch.ts";
import { sofficeEnvironment, writeProfile } from "./profile.ts";
import { findSoffice } from "./find.ts";
import { type ProgramEnd, startGuarded } from "./guarded.ts";

interface Options {
  /** Memory limit of one conversion, all its processes together. */
  readonly maxRssBytes: number;
  /** The parent of scratch folders; the system's temporary folder by default. */
  readonly scratchParent?: string | undefined;
}

/** The scratch folder with the fonts, which all conversions share. */
interface Workspace {
  readonly scratch: Scratch;
  readonly fontConfig: string;
}

const filters: Readonly<Record<OfficeFormat, string>> = {
  docx: "writer_pdf_Export",
  pptx: "impress_pdf_Export",
  xlsx: "calc_pdf_Export",
};

/** LibreOffice's message if it could not read the document (desktop/source/app/dispatchwatcher.cxx in its source). */
const unreadable = /source file could not be loaded/;

/** Creates the converter with system LibreOffice: one process, one profile and one folder for each conversion. */
export function createSoffice({ maxRssBytes, scratchParent }: Options): Converter {
  let found: Availability | undefined;
  let workspace: Promise<Workspace> | undefined;

  async function available(): Promise<Availability> {
    if (found !== undefined) return found;
    const answer = await findSoffice({ scratchParent });
    // A search that failed, for example because the disk was full, is repeated by the next conversion.
    if (answer.available) found = answer;
    return answer;
  }

  async function prepare(): Promise<Workspace> {
    const scratch = await openScratch(scratchParent);
    return { scratch, fontConfig: await layOutFonts(scratch.path) };
  }

  async function located(): Promise<{ program: string } & Workspace> {
    const availability = await available();
    if (!availability.available) throw new EngineFailure("soffice", "start", availability.reason);
    workspace ??= prepare();
    try {
      return { program: availability.location, ...(await workspace) };
    } catch (cause) {
      // The disk may have been full; the next conversion tries again.
      workspace = undefined;
      throw new EngineFailure("soffice", "start", "its fonts and folders could not be laid out", { cause });
    }
  }

  return {
    name: "soffice",
    available,
    async convert(job, signal) {
      const { program, scratch, fontConfig } = await located();
      signal.throwIfAborted();
      const folder = await scratch.folder();
      try {
        const end = await run(program, { job, folder, fontConfig, maxRssBytes }, signal);
        const made = join(folder, "out", "document.pdf");
        if (!(await isWholePdf(made))) throw faultOf(end);
        await move(made, job.output);
      } finally {
        await scratch.remove(folder);
      }
    },
    async close() {
      const opened = await workspace?.catch(() => undefined);
      await opened?.scratch.close();
    },
  };
}

interface Run {
  readonly job: ConversionJob;
  readonly folder: string;
  readonly fontConfig: string;
  readonly maxRssBytes: number;
}

async function run(
  program: string,
  { job, folder, fontConfig, maxRssBytes }: Run,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  const input = join(folder, `document.${job.format}`);
  const profile = join(folder, "profile");
  // A copy, because LibreOffice puts lock files beside the files it opens and infers the format from the name.
  await copyFile(job.input, input, constants.COPYFILE_FICLONE);
  await writeProfile(profile);
  signal.throwIfAborted();
  const process = await startGuarded(
    program,
    [
      "--headless",
      "--norestore",
      "--nodefault",
      "--nolockcheck",
      "--nofirststartwizard",
      `-env:UserInstallation=${pathToFileURL(profile).href}`,
      "--convert-to",
      exportFilter(job),
      "--outdir",
      join(folder, "out"),
      input,
    ],
    { env: { ...sofficeEnvironment(folder), FONTCONFIG_FILE: fontConfig }, cwd: folder },
  ).catch((cause: unknown) => {
    throw new EngineFailure("soffice", "start", `${program} cannot be run`, { cause });
  });
  let why: "aborted" | "time" | "memory" | undefined;
  const stop = (reason: typeof why): void => {
    why ??= reason;
    process.kill();
  };
  const abort = (): void => stop("aborted");
  const timer = setTimeout(() => stop("time"), job.timeoutMs);
  const unwatch = watchMemory(process.pid, maxRssBytes, () => stop("memory"));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    const end = await process.ended;
    if (why === "time") throw conversionSentences.time(job.timeoutMs);
    if (why === "memory") throw conversionSentences.memory(maxRssBytes);
    signal.throwIfAborted();
    return end;
  } finally {
    clearTimeout(timer);
    unwatch();
    signal.removeEventListener("abort", abort);
  }
}

function exportFilter(job: ConversionJob): string {
  const options = pdfOptions(job);
  return `pdf:${filters[job.format]}${options === undefined ? "" : `:${options}`}`;
}

function faultOf({ code, signal, output }: ProgramEnd): Error {
  if (signal === null && unreadable.test(output)) return conversionSentences.unreadable();
  const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
  return new EngineFailure("soffice", "crash", `it ${how} and left no complete PDF: ${output.trim().slice(-500)}`);
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (cause) {
    // The target is on another file system.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EXDEV")) throw cause;
    await copyFile(from, to).catch(async (failed: unknown) => {
      await rm(to, { force: true });
      throw failed;
    });
  }
}
