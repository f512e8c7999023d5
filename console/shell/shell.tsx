import type { KeyScope } from "@drs/client";
import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Icon, type IconName } from "../design/icon.tsx";
import { Empty } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import type { Texts } from "../texts/en.ts";
import { useTexts } from "../texts/texts.tsx";
import { AccountMenu } from "./menus.tsx";
import { Boundary } from "./boundary.tsx";
import { useMe } from "./session.tsx";

const Shortcuts = lazy(() => import("./shortcuts.tsx"));

/** A part of the console with its own addresses. */
export interface Area {
  /** Patterns of wouter, all shown by the same view. The navigation links to the first. */
  readonly paths: readonly [string, ...string[]];
  readonly View: ComponentType;
  /** The link in the navigation, if there is one. */
  readonly link?: { readonly label: (texts: Texts) => string; readonly icon: IconName };
  /** The scope that is needed to see the area and its link. */
  readonly scope?: KeyScope;
}

interface ShellProps {
  readonly areas: readonly Area[];
  /** The search field in the header. */
  readonly search: ReactNode;
  /** Dialogs and overlays of every view. */
  readonly children: ReactNode;
}

/** The frame around each view, and the view of the current address. */
export function Shell({ areas, search, children }: ShellProps): ReactElement {
  const { shell } = useTexts();
  const { scopes } = useMe();
  const [location] = useLocation();
  const open = areas.filter(({ scope }) => scope === undefined || scopes.includes(scope));
  return (
    <div className="shell">
      <a className="skip button" href="#content">
        {shell.skip}
      </a>
      <header className="top">
        <Link href="/" className="wordmark" aria-label={shell.home}>
          drs
        </Link>
        {search}
        <Navigation areas={open} />
        <AccountMenu />
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <Boundary key={location}>
          <Suspense fallback={<Loading />}>
            <Switch>
              {open.flatMap(({ paths, View }) =>
                paths.map((path) => <Route key={path} path={path} component={View} />),
              )}
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </Boundary>
      </main>
      <Suspense>
        <Shortcuts />
      </Suspense>
      {children}
    </div>
  );
}

function Navigation({ areas }: { readonly areas: readonly Area[] }): ReactElement {
  const texts = useTexts();
  const [location] = useLocation();
  return (
    <nav className="navigation" aria-label={texts.shell.areas}>
      {areas.map(({ paths, link }) =>
        link === undefined ? null : (
          <Link
            key={paths[0]}
            href={paths[0]}
            className="navigation-link"
            aria-current={paths.some((path) => isWithin(path, location)) ? "page" : undefined}
          >
            <Icon name={link.icon} />
            <span className="navigation-label">{link.label(texts)}</span>
          </Link>
        ),
      )}
    </nav>
  );
}

const isWithin = (path: string, location: string): boolean =>
  location === path || (path !== "/" && location.startsWith(`${path}/`));

function NotFound(): ReactElement {
  const { shell } = useTexts();
  const action = (
    <Link className="button" href="/">
      {shell.toSearch}
    </Link>
  );
  return (
    <Empty title={shell.notFound} action={action} isAll>
      {shell.notFoundNext}
    </Empty>
  );
}
