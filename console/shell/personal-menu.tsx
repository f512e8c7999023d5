import type { ReactElement, ReactNode } from "react";
import { Menu, MenuItem } from "../design/menu.tsx";
import { useLanguage, useTexts } from "../texts/texts.tsx";
import { usePreference } from "./preferences.ts";
import { themes, useTheme } from "./theme.ts";

const languages = [
  ["en", "English"],
  ["de", "Deutsch"],
] as const;

/** The menu for theme and language. `children` come first. */
export function PersonalMenu({ children }: { readonly children?: ReactNode }): ReactElement {
  const { shell } = useTexts();
  const [theme, chooseTheme] = useTheme();
  const [, chooseLanguage] = usePreference("language");
  const language = useLanguage();
  return (
    <Menu icon="account" label={shell.menu}>
      {children}
      <p className="menu-title">{shell.theme}</p>
      {themes.map((name) => (
        <MenuItem key={name} aria-pressed={name === theme} onClick={() => chooseTheme(name)}>
          {shell.themes[name]}
        </MenuItem>
      ))}
      <p className="menu-title">{shell.language}</p>
      {languages.map(([tag, name]) => (
        <MenuItem key={tag} lang={tag} aria-pressed={tag === language} onClick={() => chooseLanguage(tag)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
