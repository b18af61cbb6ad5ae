import { existsSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { ProofMalformedError } from '@attestry/core/errors/proofErrors.ts'
import {
  VerdictDisputedError,
  VerdictMalformedError,
  VerdictUncheckedError,
} from '@attestry/core/errors/verdictErrors.ts'
import { collectEarly } from '@attestry/host/collectEarly.ts'
import { trimEnvironment, type Environment } from '@attestry/host/config/interpolateVariables.ts'
import { configWithoutFile, loadConfig, type Config } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { createOutput, type Output } from '@attestry/host/createOutput.ts'
import {
  createProgram,
  type AddressFlags,
  type Commands,
  type ConfigFlag,
  type ExportFlags,
  type FromFlag,
  type LogFlags,
} from './createProgram.ts'
import { createScreen } from '@attestry/host/createScreen.ts'
import { listenForStop } from '@attestry/host/listenForStop.ts'
import type { ParquetExport } from '@attestry/archive/commands/parquet/runParquetExport.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { writeLines, writeReport } from '@attestry/host/standardOutput.ts'
import { visibleText } from '@attestry/host/visibleText.ts'

/** The configuration file that is used without `--config`. */
const configFileDefault = 'attestry.yaml'

/** Exit codes of the program (docs/configure.md); `done` also after a request to stop. */
const exitCodes = { done: 0, failed: 1, misconfigured: 2, disputed: 3, unchecked: 4 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * Runs one command line to its end, and returns the exit code. An error is one sentence on standard error, with a stack
 * only where `ATTESTRY_DEBUG` is set.
 */
export function runCli(args: readonly string[], given: Environment): Promise<ExitCode> {
  const environment = trimEnvironment(given)
  return runProgram(createProgram(createCommands(environment), readVersion()), args, environment)
}

/** Runs one command line by its program. */
export async function runProgram(
  program: Command,
  args: readonly string[],
  environment: Environment,
): Promise<ExitCode> {
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return report(error, environment)
  }
}

/** Writes an error to standard error, and returns its exit code. */
export function report(error: unknown, environment: Environment): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done
    complain(describeError(error).replace(/^error: /, ''))
    return exitCodes.misconfigured
  }
  // A configuration may have several mistakes, one a line.
  const sentences = error instanceof ConfigError ? error.message.split('\n') : [error]
  for (const sentence of sentences) complain(describeError(sentence))
  if (isDebug(environment) && error instanceof Error)
    process.stderr.write(`${visibleText(error.stack ?? '')}\n`)
  return exitCodeOf(error)
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof VerdictDisputedError) return exitCodes.disputed
  if (error instanceof VerdictUncheckedError) return exitCodes.unchecked
  const isMisused =
    error instanceof ConfigError ||
    error instanceof ProofMalformedError ||
    error instanceof VerdictMalformedError
  return isMisused ? exitCodes.misconfigured : exitCodes.failed
}

/** Each command imports its libraries when it runs, so that `--help` and a mistake are answered fast. */
function createCommands(environment: Environment): Commands {
  const debug = isDebug(environment)
  const createOutputFor = (config: Config, { logLevel, logFormat }: LogFlags): Output =>
    createOutput(process.stdout, {
      debug,
      level: logLevel,
      format: logFormat,
      urls: [...config.chains.flatMap(({ rpc }) => rpc), ...config.hooks.map(({ url }) => url)],
    })

  async function runConfigured(
    flags: ConfigFlag & AddressFlags & LogFlags & FromFlag,
    what: { readonly index: boolean; readonly serve: boolean },
  ): Promise<void> {
    const config = what.index ? loadForIndexing(flags) : loadForReading(flags)
    const output = createOutputFor(config, flags)
    const { runService } = await import('./runService.ts')
    await untilStopped(async (signal) => {
      if (what.index) await beginWithChunks(config, flags, output, signal)
      await runService({ config, output, ...what }, signal)
    })
  }

  /** Fills a new database with the chains that are published, where the configuration or a flag says where. */
  async function beginWithChunks(
    config: Config,
    { from }: FromFlag,
    output: Output,
    signal: AbortSignal,
  ): Promise<void> {
    if (from === undefined && config.chains.every((chain) => chain.from === null)) return
    const { runReplay } = await import('@attestry/archive/commands/chunks/runReplay.ts')
    await runReplay({ config, from: from ?? null, environment, output, signal })
  }

  /** The configuration of a command that asks the chains, which a file or environment variables name. */
  function loadForIndexing(flags: ConfigFlag & AddressFlags): Config {
    const options = { environment, known: knownProtocols, flags, endpointsNeeded: true }
    const file = findFile(flags)
    if (file !== null) return loadConfig(file, options)
    if (Object.keys(environment).some((name) => name.startsWith('ATTESTRY_CHAINS'))) {
      return configWithoutFile(options)
    }
    throw new ConfigError(
      `There is no ${configFileDefault} here, and no --config names a configuration file\n` +
        'attestry init writes one\n' +
        'npm start in a clone of Attestry shows it over local chains, without a configuration',
    )
  }

  /** The configuration of a command that asks no chain; without a file, environment variables and defaults apply. */
  function loadForReading(flags: ConfigFlag & AddressFlags): Config {
    const options = { environment, known: knownProtocols, flags, endpointsNeeded: false }
    const file = findFile(flags)
    return file === null ? configWithoutFile(options) : loadConfig(file, options)
  }

  return {
    start: (flags) => runConfigured(flags, { index: true, serve: true }),
    index: (flags) => runConfigured(flags, { index: true, serve: false }),
    serve: (flags) => runConfigured(flags, { index: false, serve: true }),
    status: async (flags) => {
      if (flags.watch === true) {
        const { watchStatus } = await import('./watchStatus.ts')
        const { database } = loadForReading(flags)
        const json = flags.json === true
        return await untilStopped((signal) => watchStatus(database, { json, stream: process.stdout }, signal))
      }
      const { runStatus } = await import('./runStatus.ts')
      const lines = await runStatus(loadForReading(flags).database, flags.json === true)
      await writeLines(lines)
    },
    export: async (flags) => {
      const { database } = loadForReading(flags)
      collectEarly()
      if (flags.format === 'parquet') {
        const { runParquetExport } = await import('@attestry/archive/commands/parquet/runParquetExport.ts')
        await writeLines([await runParquetExport(database, parquetFlags(flags))])
        return
      }
      const misused = ['schema', 'protocol', 'since'].find((name) => name in flags)
      if (misused !== undefined) throw new ConfigError(`The option --${misused} needs --format parquet`)
      const { runExport } = await import('@attestry/archive/commands/runExport.ts')
      await runExport(database, {
        file: flags.output ?? null,
        program: readVersion(),
        comparable: flags.comparable === true,
      })
    },
    import: async (flags) => {
      const { runImport } = await import('@attestry/archive/commands/runImport.ts')
      collectEarly()
      const done = await runImport(loadForReading(flags), flags.input ?? null, process.stdin)
      await writeLines([done])
    },
    copy: async (flags) => {
      const { runCopy } = await import('@attestry/archive/commands/runCopy.ts')
      collectEarly()
      const screen = process.stderr.isTTY ? createScreen(process.stderr) : null
      const onProgress = (events: number) => screen?.setLiveLines([`${events.toLocaleString('en')} events`])
      await untilStopped(async (signal) => {
        const done = await runCopy(flags, { environment, program: readVersion(), onProgress, signal })
        await writeLines([done])
      })
    },
    publish: async (flags) => {
      const { runPublish } = await import('@attestry/archive/commands/chunks/runPublish.ts')
      const config = loadForReading(flags)
      await untilStopped(async (signal) => {
        await writeReport(
          await runPublish(config, flags, {
            environment,
            program: readVersion(),
            signal,
          }),
        )
      })
    },
    lake: async (flags) => {
      const { runLake } = await import('@attestry/archive/commands/lake/runLake.ts')
      const config = loadForReading(flags)

      const printLine = (line: string) => void writeLines([line])
      await untilStopped((signal) =>
        runLake(config, flags, { environment, program: readVersion(), printLine, signal }),
      )
    },
    hooks: async (words, flags) => {
      const { runHooksCommand } = await import('@attestry/hooks/runHooksCommand.ts')
      const lines = await runHooksCommand(loadForReading(flags), words, flags)
      await writeLines(lines)
    },
    verify: async (flags) => {
      const config = loadForReading(flags)
      const write = (line: string) => writeLines([line])
      // A verification that does not finish has found nothing to be right.
      process.exitCode = exitCodes.failed
      const { against } = flags
      if (against === undefined) {
        const { runVerify } = await import('@attestry/verify/commands/runVerify.ts')
        return await untilStopped((signal) => runVerify(config, flags, write, signal))
      }
      const { runCompare } = await import('@attestry/verify/commands/runCompare.ts')
      await untilStopped((signal) => runCompare(config, against, flags, write, signal))
    },
    init: async (flags) => {
      const { askPerson } = await import('./init/askPerson.ts')
      const { runInit } = await import('./init/runInit.ts')
      const lines = await askPerson((ask) => runInit(flags, ask))
      await writeLines(lines)
    },
    networks: async (flags) => {
      const { runNetworks } = await import('./networks/runNetworks.ts')
      await writeLines(runNetworks(flags))
    },
    check: async (flags) => {
      const config = loadForIndexing(flags)
      const { key } = config.server.gate
      if (key !== undefined) (await import('@attestry/host/config/readGateKey.ts')).readGateKey(key)
      const { runCheck } = await import('./check/runCheck.ts')
      await untilStopped(async (signal) => {
        await writeReport(await runCheck(config, flags, signal))
      })
    },
    checkDatabase: async (flags) => {
      const { database } = loadForReading(flags)
      const { runCheckDatabase } = await import('@attestry/host/checkDatabase.ts')
      await writeReport(await runCheckDatabase(database))
    },
    keys: async (words) => {
      const { runKeysCommand } = await import('./runKeysCommand.ts')
      await writeLines(runKeysCommand(words))
    },
    mcp: async (flags) => {
      const config = loadForReading(flags)
      const { runMcp } = await import('./runMcp.ts')
      await untilStopped((signal) => runMcp(config, signal))
    },
    offchain: async (words, flags) => {
      const { runOffchainCommand } = await import('@attestry/trust/commands/runOffchainCommand.ts')
      await runOffchainCommand(loadForReading(flags), words, flags)
    },
    checkProof: async (file, flags) => {
      const { runCheckProof } = await import('@attestry/trust/commands/runCheckProof.ts')
      const lines = await runCheckProof(file, flags, process.stdin)
      await writeLines(lines)
    },
    checkVerdict: async (file, flags) => {
      const { readInput } = await import('@attestry/host/readInput.ts')
      const { runCheckVerdict } = await import('@attestry/trust/commands/runCheckVerdict.ts')
      const input = await readInput(file, process.stdin, 'a signed verdict')
      await untilStopped((signal) => runCheckVerdict(input, flags, (line) => writeLines([line]), signal))
    },
    verifyOffchain: async (file, flags) => {
      const { readInput } = await import('@attestry/host/readInput.ts')
      const { runVerifyOffchain } = await import('@attestry/trust/commands/runVerifyOffchain.ts')
      const input = await readInput(file, process.stdin, 'an off-chain attestation')
      const config = flags.config === undefined ? null : loadForReading(flags)
      await runVerifyOffchain(input, config, (line) => writeLines([line]))
    },
  }
}

function parquetFlags({ output, comparable, schema, protocol, since }: ExportFlags): ParquetExport {
  if (output === undefined) throw new ConfigError('--format parquet writes a file; name it with --output')
  if (comparable === true) throw new ConfigError('The option --comparable is for --format ndjson')
  if (protocol !== undefined && schema === undefined) {
    throw new ConfigError('The option --protocol needs --schema, the id that several protocols may have')
  }
  return { file: output, program: readVersion(), schema, protocol, since }
}

export async function untilStopped(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = listenForStop()
  try {
    await run(stop.signal)
  } finally {
    stop.dispose()
  }
}

function findFile({ config }: ConfigFlag): string | null {
  return config ?? (existsSync(configFileDefault) ? configFileDefault : null)
}

function complain(sentence: string): void {
  process.stderr.write(`attestry: ${visibleText(sentence)}\n`)
}

export function isDebug(environment: Environment): boolean {
  return (environment['ATTESTRY_DEBUG'] ?? '') !== ''
}
