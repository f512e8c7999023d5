import type { CommandWords, OptionWords, Value } from "./words.ts";

/** Returns a completion script for fish 3 and newer. */
export function fishScript(program: string, commands: readonly CommandWords[]): string {
  const fn = `__${program}_at`;
  return `# fish completion for ${program}; load it with: ${program} completion fish | source

# Whether the words so far lead to this command.
function ${fn} --argument-names wanted
    set --local at '${program}'
    for word in (commandline --current-process --tokenize --cut-at-cursor)[2..]
        switch "$at $word"
            case ${commands
              .slice(1)
              .map(({ path }) => quoted(path))
              .join(" ")}
                set at "$at $word"
        end
    end
    test "$at" = "$wanted"
end

complete --command ${program} --no-files
${commands.flatMap((command) => linesOf(program, fn, command)).join("\n")}
`;
}

function linesOf(program: string, fn: string, { path, commands, options, operand }: CommandWords): string[] {
  const here = `complete --command ${program} --condition ${quoted(`${fn} ${quoted(path)}`)}`;
  return [
    ...commands.map(
      ({ name, description }) => `${here} --arguments ${quoted(name)} --description ${quoted(description)}`,
    ),
    ...options.map((option) => `${here} ${optionOf(option)}`),
    ...(operand === undefined || operand.kind === "anything" ? [] : [`${here} ${told(operand)}`]),
  ];
}

function optionOf({ names, description, value }: OptionWords): string {
  const spelled = names.map((name) =>
    name.startsWith("--") ? `--long-option ${quoted(name.slice(2))}` : `--short-option ${quoted(name.slice(1))}`,
  );
  return [
    ...spelled,
    ...(value === undefined ? [] : ["--require-parameter", told(value)]),
    `--description ${quoted(description)}`,
  ].join(" ");
}

function told(value: Value): string {
  if ("words" in value) {
    const words = value.words.join(" ");
    return `--no-files --arguments ${quoted(value.kind === "list" ? `(__fish_append , ${words})` : words)}`;
  }
  if (value.kind === "files") return "--force-files";
  const folders = `--no-files --arguments ${quoted("(__fish_complete_directories)")}`;
  return value.kind === "folders" ? folders : "--no-files";
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
