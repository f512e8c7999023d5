import { createRoot } from "react-dom/client";
import { takeInvitation } from "./join/invitation.ts";
import { App } from "./shell/app.tsx";
import { takeCode } from "./sign-in/code.ts";

const root = document.getElementById("console");
if (root === null) throw new Error("the page has no place for the console");
createRoot(root).render(<App code={takeCode()} invitation={takeInvitation()} />);
