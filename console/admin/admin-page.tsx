import type { Identity } from "@drs/client";
import type { ComponentType, ReactElement } from "react";
import { Redirect, Route, Switch } from "wouter";
import { Empty } from "../design/surfaces.tsx";
import { Tabs } from "../design/tabs.tsx";
import { useMe } from "../shell/session.tsx";
import { Audit } from "./audit.tsx";
import { Keys } from "./keys.tsx";
import { Members } from "./members.tsx";
import { Models } from "./models.tsx";
import { isAdmin, isOperator, isOwner } from "./permissions.ts";
import { Service } from "./service/service.tsx";
import { type AdminTexts, useAdminTexts } from "./texts.ts";
import { UsageAndPlan } from "./usage.tsx";
import { Webhook } from "./webhook.tsx";
import { Webhooks } from "./webhooks.tsx";
import { Workspaces } from "./workspaces.tsx";

interface Part {
  readonly path: string;
  readonly label: (texts: AdminTexts) => string;
  readonly View: ComponentType;
  readonly mayOpen: (me: Identity) => boolean;
  /** Shown to people who may not open it. */
  readonly closed: (texts: AdminTexts) => string;
}

const forAdmins = { mayOpen: isAdmin, closed: ({ common }: AdminTexts) => common.closedNext };

const parts: readonly Part[] = [
  // All keys and members of a workspace may see its usage.
  { ...forAdmins, path: "/admin/usage", label: ({ usage }) => usage.title, View: UsageAndPlan, mayOpen: () => true },
  { ...forAdmins, path: "/admin/workspaces", label: ({ workspaces }) => workspaces.title, View: Workspaces },
  { ...forAdmins, path: "/admin/members", label: ({ members }) => members.title, View: Members },
  { ...forAdmins, path: "/admin/keys", label: ({ keys }) => keys.title, View: Keys },
  { ...forAdmins, path: "/admin/webhooks", label: ({ webhooks }) => webhooks.title, View: Webhooks },
  { ...forAdmins, path: "/admin/models", label: ({ models }) => models.title, View: Models },
  {
    path: "/admin/audit",
    label: ({ audit }) => audit.title,
    View: Audit,
    mayOpen: isOwner,
    closed: ({ common }) => common.closedOwner,
  },
  {
    path: "/admin/service",
    label: ({ service }) => service.title,
    View: Service,
    mayOpen: isOperator,
    closed: ({ common }) => common.closedOperator,
  },
];

/** The administration of the organisation and the service, as far as the signed-in person manages them. */
export default function AdminPage(): ReactElement {
  const texts = useAdminTexts();
  const me = useMe();
  const open = parts.filter(({ mayOpen }) => mayOpen(me));
  return (
    <div className="stack">
      <h1>{texts.common.title}</h1>
      <Tabs label={texts.common.sections} tabs={open.map(({ path, label }) => ({ path, label: label(texts) }))} />
      <Switch>
        {isAdmin(me) && <Route path="/admin/webhooks/:id">{({ id }) => <Webhook key={id} id={id} />}</Route>}
        {open.map(({ path, View }) => (
          <Route key={path} path={path} component={View} />
        ))}
        {parts.map(({ path, closed }) => (
          <Route key={path} path={`${path}/*?`}>
            <Empty title={texts.common.closed}>{closed(texts)}</Empty>
          </Route>
        ))}
        <Route>
          <Redirect to="/admin/usage" replace />
        </Route>
      </Switch>
    </div>
  );
}
