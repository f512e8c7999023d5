import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Link, useLocation } from "wouter";
import { MenuItem } from "../design/menu.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useDrs } from "./drs.tsx";
import { pageSession } from "./page-session.ts";
import { PersonalMenu } from "./personal-menu.tsx";
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
