import { useMutation } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Menu, MenuItem } from "../design/menu.tsx";
import { useLanguage, useTexts } from "../texts/texts.tsx";
import { useDrs } from "./drs.tsx";
import { pageSession } from "./page-session.ts";
import { themes, usePreference, useTheme } from "./preferences.ts";
import { useSessionChange } from "./session.tsx";
import { showToast } from "./toasts.tsx";

/** The menu of the signed-in person: the account and the sign-out. */
export function AccountMenu(): ReactElement {
  const { shell } = useTexts();
  const drs = useDrs();
  const [, navigate] = useLocation();
  const changeSession = useSessionChange();
  const signOut = useMutation({
    mutationFn: async () => {
      const current = (await drs.sessions.list()).find(({ isCurrent }) => isCurrent);
      if (current !== undefined) await drs.sessions.end(current.id);
    },
    async onSuccess() {
      // Other tabs of this browser notice it, and stop showing data.
      pageSession.keep("");
      navigate("/");
      await changeSession();
      showToast(shell.signedOut);
    },
  });
  return (
    <PersonalMenu>
      <Link href="/account" className="menu-item">
        {shell.account}
      </Link>
      <a href="docs" className="menu-item">
        {shell.reference}
      </a>
      <MenuItem onClick={() => signOut.mutate()}>{shell.signOut}</MenuItem>
    </PersonalMenu>
  );
}

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
