import { type ReactElement, type ReactNode, useState } from "react";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";
import { Checkbox, Field, Select, TextArea } from "./field.tsx";
import { Menu, MenuItem } from "./menu.tsx";
import { Card, Empty, Table, Tag } from "./surfaces.tsx";
import { Tabs } from "./tabs.tsx";
import { Progress, Skeleton } from "./waiting.tsx";

const colours = ["paper", "ink", "accent", "signal", "raised", "sunk", "quiet", "line"];
const steps = [1, 2, 3, 4, 5, 6];

/** Shows every part of the design. */
export default function DesignPage(): ReactElement {
  const { design, shell } = useTexts();
  return (
    <div className="stack-wide">
      <title>{`${design.title} · drs`}</title>
      <div className="stack">
        <h1>{design.title}</h1>
        <p className="quiet">{design.about}</p>
      </div>
      <Tabs
        label={design.title}
        tabs={[
          { path: "/design", label: design.title },
          { path: "/", label: shell.search },
        ]}
      />
      <Tokens />
      <Controls />
      <Surfaces />
      <Overlays />
    </div>
  );
}

function Tokens(): ReactElement {
  const { design } = useTexts();
  return (
    <>
      <Group title={design.colours}>
        <ul className="swatches">
          {colours.map((name) => (
            <li key={name}>
              <div className="swatch" style={{ background: `var(--${name})` }} />
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </Group>
      <Group title={design.type}>
        {steps.map((step) => (
          <p key={step} style={{ fontSize: `var(--text-${step})` }}>
            {design.sample}
          </p>
        ))}
      </Group>
      <Group title={design.spacing}>
        {steps.map((step) => (
          <div key={step} className="measure" style={{ width: `var(--space-${step})` }} />
        ))}
      </Group>
    </>
  );
}

function Controls(): ReactElement {
  const { design, common, shell } = useTexts();
  return (
    <>
      <Group title={design.buttons}>
        <div className="row">
          <Button kind="primary">{common.tryAgain}</Button>
          <Button icon="upload">{common.tryAgain}</Button>
          <Button kind="danger">{common.cancel}</Button>
          <Button kind="plain">{common.close}</Button>
          <Button disabled>{common.close}</Button>
          <IconButton icon="download" label={common.close} />
          <Menu icon="more" label={shell.menu}>
            <MenuItem>{common.cancel}</MenuItem>
          </Menu>
        </div>
      </Group>
      <Group title={design.fields}>
        <Field label={design.type} hint={design.about} />
        <Field label={design.colours} error={design.about} defaultValue={design.sample} />
        <Select label={design.spacing}>
          <option>{common.never}</option>
        </Select>
        <TextArea label={design.surfaces} rows={3} />
        <Checkbox label={common.copied} />
      </Group>
    </>
  );
}

function Surfaces(): ReactElement {
  const { design, common } = useTexts();
  return (
    <>
      <Group title={design.surfaces}>
        <Card>
          <h3>{design.sample}</h3>
          <p>{design.about}</p>
        </Card>
        <div className="row">
          <Tag>{common.never}</Tag>
          <Tag tone="accent">{common.copied}</Tag>
          <Tag tone="signal">{common.cancel}</Tag>
        </div>
        <Table label={design.surfaces} head={[design.type, design.spacing]}>
          <tr>
            <td>{design.sample}</td>
            <td className="numbers">1,158</td>
          </tr>
        </Table>
        <Empty title={design.sample}>{design.about}</Empty>
        <p className="notice">{design.about}</p>
        <Failure error={new Error(design.sample)} onRetry={() => showToast(common.tryAgain)} />
      </Group>
    </>
  );
}

function Overlays(): ReactElement {
  const { design, common } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Group title={design.waiting}>
        <Skeleton height="3rem" />
        <Progress label={design.waiting} done={2} total={3} />
      </Group>
      <Group title={design.overlays}>
        <div className="row">
          <Button onClick={() => setOpen(true)}>{design.openDialog}</Button>
          <Button onClick={() => showToast(design.sample)}>{design.showToast}</Button>
        </div>
        {isOpen && (
          <Dialog title={design.overlays} onClose={() => setOpen(false)}>
            <div className="stack">
              <p>{design.about}</p>
              <div className="row-end">
                <Button onClick={() => setOpen(false)}>{common.cancel}</Button>
              </div>
            </div>
          </Dialog>
        )}
      </Group>
    </>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <section className="stack">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
