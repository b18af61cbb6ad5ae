import { Command } from 'commander'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { withHelp } from '@attestry/host/commandLine.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { suggestName } from '@attestry/host/config/suggestName.ts'
import type { WingCommandLine } from '@attestry/server/wing.ts'
import { addServiceCommands } from './serviceCommands.ts'
import type { Composition } from './composition.ts'

/**
 * The command line. Parsing throws `CommanderError` for a mistake that commander finds and for `--help` (with exit code
 * 0), and `ConfigError` for an unknown command.
 */
export function createProgram(
  composition: Composition,
  line: Omit<WingCommandLine, 'add'>,
  version: string,
): Command {
  const program = quietly(new Command('attestry'))
    .description('The index of on-chain attestations: reads the chains, keeps an index, serves it.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
  withHelp(program, 'attestry start --config attestry.yaml', exitCodesHelp)
  addServiceCommands({ ...line, add }, composition)
  for (const wing of composition.wings) wing.commands?.({ ...line, add })
  return program

  function add(name: string, description: string, operands: readonly string[] = []): Command {
    const isDefault = name === 'start'
    const command = program
      .command(name, { isDefault })
      .description(description)
      // An excess word is checked below: without a command before it, the word is an unknown command.
      .allowExcessArguments(true)
    for (const operand of operands) command.argument(operand)
    command.hook('preAction', (_, { args }) => {
      const word = args[operands.length]
      const names = program.commands.map((each) => each.name())
      if (word !== undefined) throw unknownWord(word, isDefault, name, names)
    })
    return command
  }
}

function unknownWord(
  word: string,
  isDefault: boolean,
  command: string,
  commands: readonly string[],
): ConfigError {
  if (!isDefault)
    return new ConfigError(
      `attestry ${command} takes no argument ${quoteText(word)}; see attestry ${command} --help`,
    )
  const suggestion = suggestName(word, commands)
  const hint = suggestion === null ? `the commands are ${commands.join(', ')}` : `did you mean ${suggestion}?`
  return new ConfigError(`${quoteText(word)} is not a command; ${hint}`)
}

/** Makes a command throw each mistake instead of printing it. */
export function quietly(command: Command): Command {
  return command
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
}

const exitCodesHelp =
  'Exit codes: 0 asked to stop, 1 failed, 2 misconfigured. Configuration: docs/configure.md.'
