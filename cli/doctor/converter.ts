import type { ConverterChoice } from "@drs/server/converters";
import { type Check, ok, reasonIn, warn } from "./check.ts";

/** Reports which engine converts Office documents here, and why. */
export async function checkConverter(choice: ConverterChoice): Promise<Check> {
  const name = "Office converter";
  try {
    const { createConverters } = await import("@drs/server/converters");
    const conversions = createConverters({ choice });
    const { inUse, reason, engines } = await conversions.describe();
    await conversions.close();
    const [first] = inUse;
    const engine = first && engines[first];
    if (engine?.available === true) return ok(name, `${reason} (${engine.version}, ${engine.location})`);
    return warn(name, reason, "install LibreOffice, or set --converter (DRS_CONVERTER) to auto; PDF works without");
  } catch (cause) {
    return warn(name, reasonIn(cause), "install drs again; PDF works without");
  }
}
