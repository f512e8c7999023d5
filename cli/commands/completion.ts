import { Argument, type Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { wordsOf, type CommandWords } from "../completion/words.ts";
import { zshScript } from "../completion/zsh.ts";
import { type Context, withExamples } from "./command.ts";

const scripts: Readonly<Record<string, (program: string, commands: readonly CommandWords[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function defineCompletion(command: Command, context: Context): void {
  withExamples(command, [
    ['echo "source <(drs completion bash)" >> ~/.bashrc', "bash: in every new shell"],
    ['echo "source <(drs completion zsh)" >> ~/.zshrc', "zsh: after the line with compinit"],
    ["drs completion fish > ~/.config/fish/completions/drs.fish", "fish"],
  ])
    .addArgument(new Argument("<shell>", "the shell to print a script for").choices(Object.keys(scripts)))
    .addHelpText("after", "\nThe script covers the commands of this version: print it again after an update.")
    .action(async (shell: string) => {
      const program = await context.definitions();
      context.io.stdout.write(scripts[shell]?.(program.name(), wordsOf(program)) ?? "");
    });
}
