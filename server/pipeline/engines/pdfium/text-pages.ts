import { hasAnnotations, keepAnnotations } from "./annotations.ts";
import type { Library } from "./library.ts";
import type { TextPage } from "./text.ts";
import { shownCharacters } from "./visibility/shown.ts";

/** A loaded page with access to its document. */
interface LoadedPage {
  readonly page: number;
  /** Calls `use` with a document that has only this page; returns undefined if it cannot be copied. */
  withCopy<Result>(use: (copy: number) => Result): Result | undefined;
}

/**
 * Calls `use` with the text of a page's content and the text of its annotations, such as values of fields. The latter is the
 * content of another page of the same size. Returns undefined if no text can be loaded.
 */
export function withTextPages<Result>(
  library: Library,
  { page, withCopy }: LoadedPage,
  use: (pages: readonly TextPage[]) => Result,
): Result | undefined {
  return withTextPage(library, page, (whole) => {
    const content = { ...whole, isShown: shownCharacters(library, page, whole.textPage) };
    if (!hasAnnotations(library, page)) return use([content]);
    const withBoth = withCopy((copy) =>
      withAnnotationPage(library, copy, (shown) =>
        withTextPage(library, shown, (annotations) => ({ result: use([content, { ...annotations, isAdded: true }]) })),
      ),
    );
    return withBoth === undefined ? use([content]) : withBoth.result;
  });
}

function withTextPage<Result>(
  { functions, call }: Library,
  page: number,
  use: (textPage: TextPage) => Result,
): Result | undefined {
  const textPage = call(() => functions.FPDFText_LoadPage(page));
  if (textPage === 0) return undefined;
  const result = use({ page, textPage });
  call(() => functions.FPDFText_ClosePage(textPage));
  return result;
}

/** Calls `use` with the only page of a copy, reduced to its annotations. Returns undefined if they show nothing. */
function withAnnotationPage<Result>(
  library: Library,
  copy: number,
  use: (page: number) => Result | undefined,
): Result | undefined {
  const { functions, call } = library;
  const load = (): number => call(() => functions.FPDF_LoadPage(copy, 0));
  const close = (page: number): void => {
    call(() => functions.FPDF_ClosePage(page));
  };
  const original = load();
  if (original === 0) return undefined;
  const isShowing = keepAnnotations(library, original);
  close(original);
  const page = isShowing ? load() : 0;
  if (page === 0) return undefined;
  const result = use(page);
  close(page);
  return result;
}
