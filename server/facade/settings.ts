/**
 * The settings of a server and its environment variables. Every command loads this module, so it imports next to
 * nothing.
 */
export {
  defaultDataDir,
  readDataDir,
  readSettings,
  type SettingDefinition,
  settingDefinitions,
  type Settings,
} from "../settings/settings.ts";
export { nearestName } from "../settings/spelling.ts";
export { checkVariables, isSet, noWorker, variables } from "../settings/variables.ts";
