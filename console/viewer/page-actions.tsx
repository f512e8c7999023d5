import { useMutation } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import { Dialog } from "../design/dialog.tsx";
import { TextArea } from "../design/field.tsx";
import { Icon } from "../design/icon.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { addressOf, emptyQuestion } from "../search/question.ts";
import { ownLink, useDrs } from "../shell/drs.tsx";
import { copyText } from "../shell/browser.ts";
import { useMay } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { ViewedPage } from "./pages.tsx";

interface PageActionsProps {
  readonly datasetId: string;
  readonly page: ViewedPage;
}

/** The service's maximum is a week. */
const linkHours = [1, 24, 168];

/** The actions on a page. */
export function PageActions({ datasetId, page }: PageActionsProps): ReactElement {
  const { viewer } = useTexts();
  const drs = useDrs();
  const maySearch = useMay("search");
  /** A text to copy by hand, because the browser does not let pages copy. */
  const [shown, show] = useState<{ readonly label: string; readonly text: string }>();
  const { number } = page;
  const copyLink = useMutation({
    mutationFn: async (hours: number) => {
      const query = { row: "jpg", cols: number, expiresInSeconds: hours * 3600 } as const;
      const [item] = (await drs.items.page(datasetId, query)).data;
      if (item === undefined) throw new Error(viewer.missing);
      return item.share.url;
    },
    async onSuccess(url) {
      if (await copyText(url)) showToast(viewer.linkCopied);
      else show({ label: viewer.link, text: url });
    },
  });
  const copyPageText = useMutation({
    mutationFn: async () => {
      const query = { row: "jpg", cols: number, include: ["text"] } as const;
      return (await drs.items.page(datasetId, query)).data[0]?.text ?? "";
    },
    async onSuccess(text) {
      if (text === "") showToast(viewer.noText);
      else if (await copyText(text)) showToast(viewer.textCopied);
      else show({ label: viewer.text, text });
    },
  });
  return (
    <>
      {maySearch && (
        <Link
          className="button button-plain button-icon"
          href={addressOf({ ...emptyQuestion, like: { datasetId, page: number } })}
          aria-label={viewer.alike}
          title={viewer.alike}
        >
          <Icon name="similar" />
        </Link>
      )}
      <Menu icon="link" label={viewer.copyLink}>
        <p className="menu-title">{viewer.copyLink}</p>
        {linkHours.map((hours) => (
          <MenuItem key={hours} onClick={() => copyLink.mutate(hours)}>
            {viewer.hours(hours)}
          </MenuItem>
        ))}
      </Menu>
      <Menu icon="download" label={viewer.download}>
        <a className="menu-item" href={ownLink(page.picture.share)} download>
          {viewer.picture}
        </a>
        {page.pdf && (
          <a className="menu-item" href={ownLink(page.pdf.share)} download>
            {viewer.pdf}
          </a>
        )}
        <MenuItem onClick={() => copyPageText.mutate()}>{viewer.copyText}</MenuItem>
      </Menu>
      {shown && (
        <Dialog title={shown.label} onClose={() => show(undefined)}>
          <TextArea
            label={shown.label}
            value={shown.text}
            rows={6}
            readOnly
            onFocus={({ target }) => target.select()}
          />
        </Dialog>
      )}
    </>
  );
}
