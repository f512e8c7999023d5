import type { Command } from "commander";
import type { Context } from "../command.ts";
import { defineList } from "./list.ts";
import { definePull } from "./pull.ts";
import { defineUse } from "./use.ts";
import { defineVerify } from "./verify.ts";

export function defineModels(command: Command, context: Context): void {
  defineList(command, context);
  definePull(command, context);
  defineVerify(command, context);
  defineUse(command, context);
}
