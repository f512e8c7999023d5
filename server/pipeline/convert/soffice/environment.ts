/**
 * The environment of LibreOffice, also if it only tells its version: it writes settings and caches into its home. It
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
