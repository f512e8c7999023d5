import { lazy, type ReactElement, Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Icon } from "../design/icon.tsx";
import { Empty } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { SearchField } from "../search/search-field.tsx";
import { SignInAgain } from "../sign-in/sign-in-again.tsx";
import { useTexts } from "../texts/texts.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { type Area, areas } from "./areas.ts";
import { Boundary } from "./boundary.tsx";
import { useMe } from "./session.tsx";

/** Loaded later: the first view needs no upload code. */
const DropZone = lazy(() => import("../upload/drop-zone.tsx"));
const Shortcuts = lazy(() => import("./shortcuts.tsx"));

/** The frame around each view, and the view of the current address. */
export function Shell(): ReactElement {
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
        <SearchField />
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
      <SignInAgain />
      <Suspense>
        <Shortcuts />
      </Suspense>
      {scopes.includes("write") && (
        <Suspense>
          <DropZone />
        </Suspense>
      )}
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
