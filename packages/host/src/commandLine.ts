import { Option, type Command } from 'commander'
import type { Environment } from './config/interpolateVariables.ts'
import type { Config } from './config/loadConfig.ts'
import type { ServerFlags } from './config/resolveServer.ts'

/** Options of the command line, not yet checked. */
export interface ConfigFlag {
  readonly config?: string
}

/** The command line of the program, to which capabilities add commands. */
export interface CommandLine {
  /** Trimmed. */
  readonly environment: Environment
  /** `DatabaseConfig.projections` of every database that the program opens. */
  readonly projections: readonly string[]
  /** Adds a command that takes these operands, such as `<file>`, and no others. */
  add(name: string, description: string, operands?: readonly string[]): Command
  /**
   * Reads the configuration of a command that asks the chains, from a file or environment variables.
   * @throws ConfigError
   */
  loadForIndexing(flags: ConfigFlag & ServerFlags): Config
  /**
   * Reads the configuration of a command that asks no chain; without a file, environment variables and defaults apply.
   * @throws ConfigError
   */
  loadForReading(flags: ConfigFlag & ServerFlags): Config
}

export function withConfig(command: Command): Command {
  return command.option('-c, --config <file>', 'the configuration file (default: ./attestry.yaml)')
}

/** Adds an example, and further text, to the help of a command. */
export function withHelp(command: Command, example: string, more = ''): Command {
  return command.addHelpText('after', `\nExample:\n  ${example}\n${more === '' ? '' : `\n${more}\n`}`)
}

/** An option that takes one of some words; the first is the default. */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).default(choices[0])
}

/** The operands that were given. */
export function wordsOf(...words: readonly (string | undefined)[]): readonly string[] {
  return words.filter((word) => word !== undefined)
}
