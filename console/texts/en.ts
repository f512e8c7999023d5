import { account } from "./en/account.ts";
import { common } from "./en/common.ts";
import { design } from "./en/design.ts";
import { search } from "./en/search.ts";
import { shell } from "./en/shell.ts";
import { signIn } from "./en/sign-in.ts";
import { viewer } from "./en/viewer.ts";

export const en = { account, common, design, search, shell, signIn, viewer };

/** What each language must have. */
export type Texts = typeof en;
