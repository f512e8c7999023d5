import { type Check, fail, ok, reasonIn } from "./check.ts";

/** Checks that the model pack is complete: every file exists and has the checksum in the manifest. */
export async function checkModel(model: string, modelsDir: string, signal: AbortSignal): Promise<Check> {
  const name = "model pack";
  try {
    const { resolvePackDir, verifyPack } = await import("@drs/server/packs");
    const manifest = await verifyPack(resolvePackDir(model, modelsDir), signal);
    return ok(name, `${manifest.id} is complete`);
  } catch (cause) {
    signal.throwIfAborted();
    return fail(
      name,
      reasonIn(cause),
      model === "builtin"
        ? "check out the repository or install drs again"
        : "check --model or DRS_MODEL: drs models list shows what there is",
    );
  }
}
