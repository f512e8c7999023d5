import type { Command } from "commander";
import { exitCodes } from "../../exit-codes.ts";
import { formatBytes } from "../../output/amounts.ts";
import { createOutput } from "../../output/output.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "../command.ts";
import { settingsOf, withSettings } from "../service/server-settings.ts";

const wanted: readonly string[] = ["dataDir", "modelsDir"];

interface Verdict {
  readonly id: string;
  readonly ok: boolean;
  /** Size of its files in bytes; undefined if there is a problem. */
  readonly bytes: number | undefined;
  readonly problem: string;
}

export function defineVerify(command: Command, context: Context): void {
  withExamples(
    withSettings(
      withJson(
        command
          .command("verify")
          .description("check model packs: every file's SHA-256, and whether a sentence and a picture can be embedded")
          .argument("[model]", "builtin, an installed pack, or a folder; default: the built-in and all installed ones"),
      ),
      ({ name }) => wanted.includes(name),
    ),
    [
      ["drs models verify", "all packs of this machine"],
      ["drs models verify builtin", "the one that comes with drs"],
    ],
  ).action(async (model: string | undefined, flags: JsonFlag & Readonly<Record<string, unknown>>) => {
    const { io, finish } = context;
    const output = createOutput(io, flags.json === true);
    const { modelsDir } = settingsOf(flags, io);
    const { installedPacks } = await import("@drs/server/packs");
    const verdicts: Verdict[] = [];
    for (const name of model === undefined ? ["builtin", ...installedPacks(modelsDir)] : [model]) {
      const verdict = await verify(name, modelsDir, io.signal);
      verdicts.push(verdict);
      output.line(
        verdict.ok
          ? `✓ ${verdict.id} is complete and works, ${formatBytes(verdict.bytes ?? 0)}`
          : `✗ ${verdict.problem}`,
      );
    }
    const isWell = verdicts.every(({ ok }) => ok);
    output.result({ ok: isWell, data: verdicts.map(({ id, ok, problem }) => ({ id, ok, problem })) }, () => []);
    if (isWell) return;
    finish(exitCodes.failed);
    if (!output.json) output.note("remove the folder of an incomplete pack, and pull it again: drs models pull");
  });
}

async function verify(name: string, modelsDir: string, signal: AbortSignal): Promise<Verdict> {
  const { aboutOf, checkPack, packId, resolvePackDir } = await import("@drs/server/packs");
  try {
    const manifest = await checkPack(resolvePackDir(name, modelsDir), signal);
    return { id: packId(manifest), ok: true, bytes: aboutOf(manifest).bytes, problem: "" };
  } catch (cause) {
    signal.throwIfAborted();
    return { id: name, ok: false, bytes: undefined, problem: cause instanceof Error ? cause.message : String(cause) };
  }
}
