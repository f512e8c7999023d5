import { useEffect } from "react";
import { usePreference } from "./preferences.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Returns the chosen theme and a function that changes it. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [chosen, choose] = usePreference("theme");
  const theme = themes.find((candidate) => candidate === chosen) ?? "system";
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return [theme, (changed) => choose(changed === "system" ? "" : changed)];
}
