import { createRoot } from "react-dom/client";
import { takeInvitation } from "./join/invitation.ts";
import { App } from "./shell/app.tsx";
import { takePageSecret } from "./shell/page-session.ts";
import { takeCode } from "./sign-in/code.ts";

const root = document.getElementById("console");
if (root === null) throw new Error("the page has no place for the console");
takePageSecret();
createRoot(root).render(<App code={takeCode()} invitation={takeInvitation()} />);
