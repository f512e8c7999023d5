/** The settings of a server and the variables that it knows. Loaded with every command: imports next to nothing. */
export {
  defaultDataDir,
  readDataDir,
  readSettings,
  type SettingDefinition,
  settingDefinitions,
  type Settings,
} from "../config.ts";
export { nearestName } from "../spelling.ts";
export { checkVariables, isSet, noWorker, variables } from "../variables.ts";
