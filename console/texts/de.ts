import type { Texts } from "./en.ts";
import { account } from "./de/account.ts";
import { common } from "./de/common.ts";
import { design } from "./de/design.ts";
import { search } from "./de/search.ts";
import { shell } from "./de/shell.ts";
import { signIn } from "./de/sign-in.ts";
import { viewer } from "./de/viewer.ts";

export const de: Texts = { account, common, design, search, shell, signIn, viewer };
