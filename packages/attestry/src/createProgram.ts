import { Command, Option } from 'commander'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { suggestName } from '@attestry/host/config/suggestName.ts'
import { logLevels, type LogLevel } from '@attestry/host/createLogger.ts'
import { logFormats, type LogFormat } from '@attestry/host/createOutput.ts'
import type { CheckFlags } from './check/runCheck.ts'
import type { InitFlags } from './init/runInit.ts'
import type { NetworksFlags } from './networks/runNetworks.ts'
import type { CheckProofFlags } from '@attestry/trust/commands/runCheckProof.ts'
import type { CopyFlags } from '@attestry/archive/commands/runCopy.ts'
import type { LakeFlags } from '@attestry/archive/commands/lake/runLake.ts'
import type { PublishFlags } from '@attestry/archive/commands/chunks/runPublish.ts'
import type { HooksFlags } from '@attestry/hooks/runHooksCommand.ts'
import type { OffchainFlags } from '@attestry/trust/commands/runOffchainCommand.ts'
import type { VerifyFlags } from '@attestry/verify/commands/runVerify.ts'
import type { CheckVerdictFlags } from '@attestry/trust/commands/runCheckVerdict.ts'

/** Options of the command line, not yet checked. */
export interface ConfigFlag {
  readonly config?: string
}

export interface FromFlag {
  /** Where chains are published that a database without chains begins with. */
  readonly from?: string
}

export interface LogFlags {
  readonly logLevel?: LogLevel
  readonly logFormat?: LogFormat
}

export interface AddressFlags {
  readonly host?: string
  readonly port?: string
}

export interface ExportFlags extends ConfigFlag {
  readonly output?: string
  readonly comparable?: boolean
  readonly format?: string
  readonly schema?: string
  readonly protocol?: string
  readonly since?: string
}

export interface StatusFlags extends ConfigFlag {
  readonly json?: boolean
  readonly watch?: boolean
}

/** The implementation of each command. */
export interface Commands {
  start(flags: ConfigFlag & AddressFlags & LogFlags & FromFlag): Promise<void>
  index(flags: ConfigFlag & LogFlags): Promise<void>
  serve(flags: ConfigFlag & AddressFlags & LogFlags): Promise<void>
  status(flags: StatusFlags): Promise<void>
  export(flags: ExportFlags): Promise<void>
  import(flags: ConfigFlag & { readonly input?: string }): Promise<void>
  copy(flags: CopyFlags): Promise<void>
  publish(flags: ConfigFlag & PublishFlags): Promise<void>
  lake(flags: ConfigFlag & LakeFlags): Promise<void>
  verify(flags: ConfigFlag & VerifyFlags): Promise<void>
  hooks(words: readonly string[], flags: ConfigFlag & HooksFlags): Promise<void>
  init(flags: InitFlags): Promise<void>
  networks(flags: NetworksFlags): Promise<void>
  check(flags: ConfigFlag & CheckFlags): Promise<void>
  checkDatabase(flags: ConfigFlag): Promise<void>
  keys(words: readonly string[]): Promise<void>
  mcp(flags: ConfigFlag): Promise<void>
  checkProof(file: string, flags: CheckProofFlags): Promise<void>
  checkVerdict(file: string, flags: CheckVerdictFlags): Promise<void>
  verifyOffchain(file: string, flags: ConfigFlag): Promise<void>
  offchain(words: readonly string[], flags: ConfigFlag & OffchainFlags): Promise<void>
}

/**
 * The command line. Parsing throws `CommanderError` for a mistake that commander finds and for `--help` (with exit code
 * 0), and `ConfigError` for an unknown command.
 */
export function createProgram(commands: Commands, version: string): Command {
  const program = quietly(new Command('attestry'))
    .description('The index of on-chain attestations: reads the chains, keeps an index, serves it.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', helpAfter('attestry start --config attestry.yaml', exitCodesHelp))

  withLog(withAddress(withConfig(add('start', 'index and serve (the default command)'))))
    .option('--from <place>', 'begin a new database with the chunks of a URL, folder or s3://BUCKET/PREFIX')
    .addHelpText('after', helpAfter('attestry start --config attestry.yaml --port 4000'))
    .action((flags: ConfigFlag & AddressFlags & LogFlags & FromFlag) => commands.start(flags))
  withLog(withConfig(add('index', 'index the configured chains, without serving')))
    .addHelpText('after', helpAfter('attestry index --config attestry.yaml'))
    .action((flags: ConfigFlag & LogFlags) => commands.index(flags))
  withLog(withAddress(withConfig(add('serve', 'serve the index, without indexing'))))
    .addHelpText('after', helpAfter('attestry serve --config attestry.yaml --host 0.0.0.0'))
    .action((flags: ConfigFlag & AddressFlags & LogFlags) => commands.serve(flags))
  withConfig(add('status', 'show how far each chain is indexed'))
    .option('--json', 'print JSON instead of a table')
    .option('--watch', 'show each second what has changed, until Ctrl-C')
    .addHelpText('after', helpAfter('attestry status --watch', watchHelp))
    .action((flags: StatusFlags) => commands.status(flags))
  withConfig(add('export', 'write the whole index as NDJSON, one record a line'))
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option(
      '--comparable',
      'leave out what depends on when the chain was read; such an export cannot be imported',
    )
    .addOption(
      new Option('--format <format>', 'ndjson: the whole index; parquet: attestations')
        .choices(['ndjson', 'parquet'])
        .default('ndjson'),
    )
    .option('--schema <id>', 'parquet: only attestations under this schema, with a column for each field')
    .option('--protocol <name>', 'parquet: the protocol of that schema, where several have the id')
    .option('--since <cursor>', 'parquet: only what is new, changed or taken back since an earlier export')
    .addHelpText('after', helpAfter('attestry export --output index.ndjson'))
    .action((flags: ExportFlags) => commands.export(flags))
  withConfig(add('import', 'read an export into a new database'))
    .option('-i, --input <file>', 'read a file instead of standard input')
    .addHelpText('after', helpAfter('attestry import --input index.ndjson'))
    .action((flags: ConfigFlag & { readonly input?: string }) => commands.import(flags))
  add('copy', 'copy an index into a new database, SQLite or PostgreSQL')
    .requiredOption('--from <url>', 'the database to read: a path, sqlite:PATH or postgres://…')
    .requiredOption('--to <url>', 'the database to fill: new, or without a chain')
    .addHelpText(
      'after',
      helpAfter("attestry copy --from sqlite:./data/attestry.db --to '${POSTGRES_URL}'", copyHelp),
    )
    .action((flags: CopyFlags) => commands.copy(flags))
  withConfig(add('publish', 'publish the history of the configured chains, for others to begin with'))
    .requiredOption('--to <place>', 'a folder, or s3://BUCKET/PREFIX')
    .option('--key <file>', 'a private key of Ed25519 in PEM, which signs the manifest')
    .addHelpText('after', helpAfter('attestry publish --to /var/www/attestry', publishHelp))
    .action((flags: ConfigFlag & PublishFlags) => commands.publish(flags))
  withConfig(add('lake', 'keep tables of Apache Iceberg current, for DuckDB, Spark, Trino, ClickHouse'))
    .requiredOption('--to <place>', 'a folder, or s3://BUCKET/PREFIX')
    .option('--schema <id...>', 'schemas that get a table of their own, with a column for each field')
    .option('--once', 'bring the tables up to now, and end')
    .addHelpText('after', helpAfter('attestry lake --to s3://bucket/lake --once', lakeHelp))
    .action((flags: ConfigFlag & LakeFlags) => commands.lake(flags))
  withConfig(add('verify', 'compare the index with its chains and with itself'))
    .option('--all', 'compare every block instead of a sample')
    .option('--sample <number>', 'how many records of each chain to compare (default: 200)')
    .option('--seed <number>', 'seed of the sample (default: random; it is printed)')
    .option('--chain <numbers>', 'compare only these chains, such as 1,10')
    .option('--offline', 'ask no chain: compare the index only with itself')
    .option('--repair', 'index differing blocks again, then verify again; stop the indexer first')
    .option('--against <url>', 'compare with the index of another service instead, by digests')
    .option('--json', 'print a JSON object a line')
    .addHelpText('after', helpAfter('attestry verify --sample 1000', verifyHelp))
    .action((flags: ConfigFlag & VerifyFlags) => commands.verify(flags))
  withConfig(add('hooks', 'list, pause, resume and replay hooks', ['[order]', '[name]']))
    .option('--from <start>', 'replay: a block, a time such as 2026-11-01T00:00:00Z, or now')
    .option('--chain <number>', 'replay from a block: the chain of the block')
    .option('--json', 'list: print JSON instead of a table')
    .addHelpText('after', helpAfter('attestry hooks replay payments --from 2026-11-01T00:00:00Z', hooksHelp))
    .action((order: string | undefined, name: string | undefined, flags: ConfigFlag & HooksFlags) =>
      commands.hooks(wordsOf(order, name), flags),
    )
  add('init', 'write a configuration file: asks, or takes options')
    .option('--chains <names>', 'chains by name or id, such as optimism,base')
    .option('--protocols <names>', 'protocols (default: all that the chain has)')
    .option('--rpc <url...>', 'endpoints; CHAIN=URL where there are several chains')
    .option('-o, --output <file>', 'the file to write (default: ./attestry.yaml)')
    .option('--force', 'overwrite a file that exists')
    .addHelpText('after', helpAfter('attestry init --chains optimism --rpc https://rpc.example'))
    .action((flags: InitFlags) => commands.init(flags))
  add('networks', 'list the known deployments of protocols')
    .option('--protocol <name>', 'only this protocol')
    .option('--chain <chain>', 'only this chain, by its id or its name')
    .option('--json', 'print JSON instead of a table')
    .addHelpText('after', helpAfter('attestry networks --protocol eas --chain optimism'))
    .action((flags: NetworksFlags) => commands.networks(flags))
  withConfig(add('check', 'check the configuration and its endpoints, and estimate a backfill'))
    .option('--requests-per-second <number>', 'also estimate the days on a plan of so many calls a second')
    .option('--json', 'print JSON instead of tables')
    .addHelpText('after', helpAfter('attestry check --requests-per-second 25', checkHelp))
    .action((flags: ConfigFlag & CheckFlags) => commands.check(flags))
  withConfig(add('check-database', 'make the tables, and check whether the server can be indexed into'))
    .addHelpText('after', helpAfter('attestry check-database --config attestry.yaml', checkDatabaseHelp))
    .action((flags: ConfigFlag) => commands.checkDatabase(flags))
  add('keys', 'make a key for a client', ['[order]', '[name]'])
    .addHelpText('after', helpAfter('attestry keys new gatekeeper'))
    .action((order: string | undefined, name: string | undefined) => commands.keys(wordsOf(order, name)))
  withConfig(add('mcp', 'serve agents on standard input and output, by the Model Context Protocol'))
    .addHelpText('after', helpAfter('attestry mcp --config attestry.yaml'))
    .action((flags: ConfigFlag) => commands.mcp(flags))
  add('check-proof', 'check a proof of an event offline', ['<file>'])
    .option('--block-hash <hash>', 'the hash of the block, from a source that you trust')
    .option('--contract <address>', 'the contract that you trust')
    .addHelpText('after', helpAfter('attestry check-proof proof.json --block-hash 0x…', checkProofHelp))
    .action((file: string, flags: CheckProofFlags) => commands.checkProof(file, flags))
  add('check-verdict', 'check a signed verdict, and whether an index agrees', ['<file>'])
    .option('--url <url>', 'the index to ask (default: http://127.0.0.1:4000)')
    .option(
      '--keys <url or file>',
      'the index that signed, or a file with its keys (default: the index to ask)',
    )
    .option('--policy <file>', 'the policy, in YAML or JSON (default: the one of the two indexes)')
    .option('--audience <text>', 'for whom the verdict must be')
    .option('--nonce <text>', 'what the verdict must answer')
    .option('--expired', 'also check a verdict whose time is over')
    .addHelpText(
      'after',
      helpAfter('attestry check-verdict verdict.jws --url https://attestry.example', checkVerdictHelp),
    )
    .action((file: string, flags: CheckVerdictFlags) => commands.checkVerdict(file, flags))
  withConfig(add('verify-offchain', 'verify an off-chain attestation', ['<file>']))
    .addHelpText('after', helpAfter('attestry verify-offchain attestation.json', verifyOffchainHelp))
    .action((file: string, flags: ConfigFlag) => commands.verifyOffchain(file, flags))
  withConfig(add('offchain', 'export, import and delete stored off-chain attestations', ['[order]', '[id]']))
    .option('-o, --output <file>', 'export: write to a file instead of standard output')
    .option('-i, --input <file>', 'import: read a file instead of standard input')
    .addOption(
      new Option(
        '--format <format>',
        'export: ndjson, which can be imported; car: the texts for ipfs dag import',
      )
        .choices(['ndjson', 'car'])
        .default('ndjson'),
    )
    .option('--reason <text>', 'delete: why, for the tombstone')
    .option('--signer <address>', 'delete: whose record, if several accounts signed the same words')
    .addHelpText('after', helpAfter('attestry offchain export --output offchain.ndjson', offchainHelp))
    .action((order: string | undefined, id: string | undefined, flags: ConfigFlag & OffchainFlags) =>
      commands.offchain(wordsOf(order, id), flags),
    )
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

function wordsOf(...words: readonly (string | undefined)[]): readonly string[] {
  return words.filter((word) => word !== undefined)
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

function withConfig(command: Command): Command {
  return command.option('-c, --config <file>', 'the configuration file (default: ./attestry.yaml)')
}

function withLog(command: Command): Command {
  return command
    .addOption(new Option('--log-level <level>', 'the least level that is logged').choices(logLevels))
    .addOption(
      new Option(
        '--log-format <format>',
        'json, or pretty for a person (default: pretty on a terminal)',
      ).choices(logFormats),
    )
}

/** Makes a command throw each mistake instead of printing it. */
export function quietly(command: Command): Command {
  return command
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
}

export function withAddress(command: Command): Command {
  return command
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port to listen on (default: 4000)')
}

export function helpAfter(example: string, more = ''): string {
  return `\nExample:\n  ${example}\n${more === '' ? '' : `\n${more}\n`}`
}

const watchHelp =
  'Into a file or a pipe, --watch prints a line (with --json an object) for each chain that has changed, and for all every\n' +
  'ten seconds.'
const copyHelp =
  '${NAME} is replaced by an environment variable, so that the list of processes shows no password. A copy that fails or\n' +
  'is stopped leaves the target empty. Exit codes: 0 copied, 1 failed or stopped, 2 misconfigured.'
const publishHelp =
  'Adds what is new and final, beside a running index. A bucket takes AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION\n' +
  'and, where it is not that of AWS, AWS_ENDPOINT_URL. Exit codes: 0 published, 1 failed, or a chain is not published.'
const lakeHelp =
  'Writes final blocks alone, beside a running index; docs/lake.md describes the tables. A bucket takes the variables of\n' +
  'attestry publish. Exit codes: 0 asked to stop, or done, 1 failed, or a chain is not in the lake, 2 misconfigured.'
const verifyHelp =
  'Exit codes: 0 no difference, 1 a difference or a chain that could not be compared, 2 misconfigured.'
const hooksHelp =
  'Orders: list (the default), pause NAME, resume NAME, replay NAME --from START. The process that indexes obeys within a\n' +
  'second. resume also tries a failing hook again at once.'
const checkHelp = 'Exit codes: 0 all endpoints work, 1 one of them would not work, 2 misconfigured.'
const checkDatabaseHelp =
  'attestry index and attestry start check the same before they write. Exit codes: 0 no problem, 1 a problem, 2\n' +
  'misconfigured.'
const checkProofHelp =
  'FILE is an answer of /scan/attestations/{id}/proof; - reads standard input. Exit codes: 0 valid, 1 not valid, 2 no proof.'
const checkVerdictHelp =
  'FILE is a signed answer of /scan/gate; - reads standard input. Exit codes: 0 the index agrees, 1 the verdict does not\n' +
  'hold, 2 no verdict, 3 the index disagrees, 4 the index cannot say: it is behind, or lacks the chain or the policy.'
const verifyOffchainHelp =
  'FILE is an envelope of EAS or BAS, a link that holds one, or a signed body of Sign Protocol; - reads standard input.\n' +
  'Without --config nothing but the file is looked at. Exit codes: 0 valid, 1 not valid, 2 no attestation.'
const offchainHelp =
  'Orders: export, import, delete ID --reason TEXT. An import verifies each text again and leaves out those that fail.\n' +
  'Exit codes: 0 done, 1 an entry was refused, 2 misconfigured.'
const exitCodesHelp =
  'Exit codes: 0 asked to stop, 1 failed, 2 misconfigured. Configuration: docs/configure.md.'
