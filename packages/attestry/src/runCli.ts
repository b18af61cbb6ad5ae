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
import type { ConfigFlag } from '@attestry/host/commandLine.ts'
import { projectionsOf } from '@attestry/host/config/configPart.ts'
import { isDebug, trimEnvironment, type Environment } from '@attestry/host/config/interpolateVariables.ts'
import { configWithoutFile, loadConfig, type Config } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { createProgram } from './createProgram.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { readWingFiles, type WingCommandLine } from '@attestry/server/wing.ts'
import { visibleText } from '@attestry/host/visibleText.ts'
import type { Composition } from './composition.ts'

/** The configuration file that is used without `--config`. */
const configFileDefault = 'attestry.yaml'

/** Exit codes of the program (docs/configure.md); `done` also after a request to stop. */
const exitCodes = { done: 0, failed: 1, misconfigured: 2, disputed: 3, unchecked: 4 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * Runs one command line to its end, and returns the exit code. An error is one sentence on standard error, with a stack
 * only where `ATTESTRY_DEBUG` is set.
 */
export function runCli(
  args: readonly string[],
  given: Environment,
  composition: Composition,
): Promise<ExitCode> {
  const environment = trimEnvironment(given)
  const program = createProgram(composition, createLine(environment, composition), readVersion())
  return runProgram(program, args, environment)
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

function createLine(environment: Environment, { wings, url }: Composition): Omit<WingCommandLine, 'add'> {
  const known = knownProtocols
  const parts = wings
  const projections = projectionsOf(wings)
  const projected = (config: Config): Config => ({ ...config, database: { ...config.database, projections } })
  return {
    environment,
    projections,
    loadForIndexing: (flags) => {
      const options = { environment, known, parts, flags, endpointsNeeded: true }
      const file = findFile(flags)
      if (file !== null) return projected(loadConfig(file, options))
      if (Object.keys(environment).some((name) => name.startsWith('ATTESTRY_CHAINS'))) {
        return projected(configWithoutFile(options))
      }
      throw new ConfigError(
        `There is no ${configFileDefault} here, and no --config names a configuration file\n` +
          'attestry init writes one\n' +
          'npm start in a clone of Attestry shows it over local chains, without a configuration',
      )
    },
    loadForReading: (flags) => {
      const options = { environment, known, parts, flags, endpointsNeeded: false }
      const file = findFile(flags)
      return projected(file === null ? configWithoutFile(options) : loadConfig(file, options))
    },
    readFiles: async (config) => void (await readWingFiles(wings, config.wings)),
    openServer: async ({ database, server, chains, wings: configs }, logger) => {
      const { openApi } = await import('./openApi.ts')
      const settings = { database, server, chains, chainIds: [], logger, listens: false }
      return await openApi({ ...settings, wings: { url, configs } })
    },
  }
}

function findFile({ config }: ConfigFlag): string | null {
  return config ?? (existsSync(configFileDefault) ? configFileDefault : null)
}

function complain(sentence: string): void {
  process.stderr.write(`attestry: ${visibleText(sentence)}\n`)
}
