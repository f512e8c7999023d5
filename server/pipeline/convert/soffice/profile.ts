import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

type Value = boolean | number | string;

/**
 * Settings that differ from LibreOffice's defaults, by path in its configuration tree (schemas: officecfg/registry in its
 * source). Unknown ones are ignored, so newer names can be listed beside older ones.
 */
const settings: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  // Nothing that a document links to is loaded, neither from the network nor from a file.
  "Office.Common/Security/Scripting": {
    BlockUntrustedRefererLinks: true,
    DisableMacrosExecution: true,
    DisablePythonRuntime: true,
    DisableActiveContent: true,
    MacroSecurityLevel: 3,
  },
  // 2: never ask and never update links to other documents.
  "Office.Writer/Content/Update": { Link: 2 },
  "Office.Calc/Content/Update": { Link: 2 },
  // 1: show the file's stored results and recompute nothing, so that formulas fetch nothing.
  "Office.Calc/Formula/Load": { OOXMLRecalcMode: 1, ODFRecalcMode: 1 },
  // Any remaining request to the network goes to a proxy on port 9 (discard), where nothing listens.
  "Inet/Settings": {
    ooInetProxyType: 1,
    ooInetHTTPProxyName: "127.0.0.1",
    ooInetHTTPProxyPort: 9,
    ooInetHTTPSProxyName: "127.0.0.1",
    ooInetHTTPSProxyPort: 9,
    ooInetFTPProxyName: "127.0.0.1",
    ooInetFTPProxyPort: 9,
    ooInetNoProxy: "",
  },
  "Office.Java/VirtualMachine": { Enable: false },
  "Office.Recovery/RecoveryInfo": { Enabled: false },
  "Office.Recovery/AutoSave": { Enabled: false },
  "Office.Common/Misc": { FirstRun: false, CollectUsageInformation: false, CrashReport: false, UseOpenCL: false },
  "Office.Common/Save/Document": { CreateBackup: false, AutoSave: false },
  "Office.Jobs/Jobs/org.openoffice.Office.Jobs:Job['UpdateCheck']/Arguments": {
    AutoCheckEnabled: false,
    AutoDownloadEnabled: false,
  },
  "Setup/Office": { ooSetupInstCompleted: true, MigrationCompleted: true },
  "Setup/L10N": { ooLocale: "en-US" },
};

/** Writes a user profile for one conversion. */
export async function writeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, "user"), { recursive: true });
  await writeFile(join(folder, "user", "registrymodifications.xcu"), profileXml());
}

function profileXml(): string {
  const items = Object.entries(settings).flatMap(([path, values]) =>
    Object.entries(values).map(
      ([name, value]) =>
        `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
    ),
  );
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`,
    ...items,
    `</oor:items>`,
    ``,
  ].join("\n");
}

/**
 * Returns the environment for LibreOffice, which writes settings and caches into its home even if it only prints its version. It
 * contains only the variables that LibreOffice needs, and none of the server's credentials and proxies.
 */
export function sofficeEnvironment(folder: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const kept = ["PATH", "TZ"].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    HOME: folder,
    TMPDIR: folder,
    LANG: "C.UTF-8",
    SAL_USE_VCLPLUGIN: "svp",
  };
}
