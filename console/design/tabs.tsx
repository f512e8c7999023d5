import type { ReactElement } from "react";
import { Link, useLocation } from "wouter";

interface Tab {
  readonly path: string;
  readonly label: string;
}

/** Links to sibling views. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): ReactElement {
  const [location] = useLocation();
  const isCurrent = (path: string): boolean => location === path || location.startsWith(`${path}/`);
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ path, label }) => (
        <Link
          key={path}
          ref={isCurrent(path) ? bringIntoView : null}
          href={path}
          className="tab"
          aria-current={isCurrent(path) ? "page" : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** Scrolls to the tab if the tabs are wider than the window. */
function bringIntoView(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
