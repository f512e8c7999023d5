import type { ReactElement } from "react";
import { Link, useLocation } from "wouter";

interface Tab {
  readonly path: string;
  readonly label: string;
}

/** Views beside each other, each with an address. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): ReactElement {
  const [location] = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ path, label }) => (
        <Link key={path} href={path} className="tab" aria-current={location === path ? "page" : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
