export default {
  input: "../openapi.json",
  output: { path: "generated", module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch"],
};
