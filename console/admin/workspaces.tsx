import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { Tag } from "../design/surfaces.tsx";
import { useDrs } from "../shell/drs.tsx";
import { writePreference } from "../shell/preferences.ts";
import { useMe } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useChange } from "../shell/change.tsx";
import { FormDialog, textOf } from "../design/dialog.tsx";
import { useFormats } from "../shell/formats.ts";
import { Listing, Section } from "./section.tsx";
import { useWorkspaces } from "./names.ts";
import { useAdminTexts } from "./texts.ts";

export function Workspaces(): ReactElement {
  const { workspaces, common } = useAdminTexts();
  const { workspaceId, memberId } = useMe();
  const formats = useFormats();
  const query = useQuery(useWorkspaces());
  const [isOpen, setOpen] = useState(false);
  const action = (
    <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
      {workspaces.create}
    </Button>
  );
  return (
    <Section title={workspaces.title} about={workspaces.about} action={action}>
      <Listing
        query={query}
        label={workspaces.title}
        head={[common.name, "Id", common.created, common.actions]}
        empty={{ title: workspaces.empty, next: workspaces.emptyNext }}
      >
        {({ id, name, createdAt }) => (
          <tr key={id}>
            <td>
              {name} {id === workspaceId && <Tag tone="accent">{workspaces.current}</Tag>}
            </td>
            <td>
              <code>{id}</code>
            </td>
            <td className="numbers">{formats.time(createdAt)}</td>
            <td>
              {/* A key always belongs to one workspace. */}
              {memberId !== null && id !== workspaceId && <Button onClick={() => goTo(id)}>{workspaces.switch}</Button>}
            </td>
          </tr>
        )}
      </Listing>
      {isOpen && <NewWorkspace onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** Reloads the page, because everything it has read belongs to another workspace. */
function goTo(id: string): void {
  writePreference("workspace", id);
  location.reload();
}

function NewWorkspace({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { workspaces, common } = useAdminTexts();
  const drs = useDrs();
  const create = useChange({
    run: async (name: string) => drs.workspaces.create(name),
    stale: ["workspaces"],
    isShown: true,
    done({ name }) {
      showToast(workspaces.made(name));
      onClose();
    },
  });
  return (
    <FormDialog
      title={workspaces.create}
      submit={workspaces.createSubmit}
      isPending={create.isPending}
      error={create.error}
      onSubmit={(form) => create.mutate(textOf(form, "name"))}
      onClose={onClose}
    >
      <Field label={common.name} name="name" required maxLength={100} hint={workspaces.hint} autoComplete="off" />
    </FormDialog>
  );
}
