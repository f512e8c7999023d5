import { useEffect, useSyncExternalStore } from "react";

/** Preferences that the browser stores, as texts; "" if nothing was chosen. */
type Preference = "theme" | "language" | "workspace" | "grouping" | "searches";

const listeners = new Set<() => void>();
const keyOf = (name: Preference): string => `drs.${name}`;

export function readPreference(name: Preference): string {
  try {
    return localStorage.getItem(keyOf(name)) ?? "";
  } catch {
    // A browser that stores nothing for pages throws.
    return "";
  }
}

export function writePreference(name: Preference, value: string): void {
  try {
    if (value === "") localStorage.removeItem(keyOf(name));
    else localStorage.setItem(keyOf(name), value);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

/** Returns the value and a function that changes it. Views also follow changes made in other tabs. */
export function usePreference(name: Preference): readonly [value: string, change: (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => readPreference(name));
  return [value, (changed) => writePreference(name, changed)];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

export const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

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
