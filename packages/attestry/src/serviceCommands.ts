import { Option, type Command } from 'commander'
import type { ResolvedParts } from '@attestry/host/config/configPart.ts'
import { withConfig, withHelp, type CommandLine, type ConfigFlag } from '@attestry/host/commandLine.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { isDebug } from '@attestry/host/config/interpolateVariables.ts'
import { logLevels, type LogLevel } from '@attestry/host/createLogger.ts'
import { createOutput, logFormats, type LogFormat, type Output } from '@attestry/host/createOutput.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Composition } from './composition.ts'
import type { Meanwhile } from './startMeanwhile.ts'

interface LogFlags {
  readonly logLevel?: LogLevel
  readonly logFormat?: LogFormat
}

/** Options of the command line, not yet checked. */
export interface AddressFlags {
  readonly host?: string
  readonly port?: string
}

interface StatusFlags extends ConfigFlag {
  readonly json?: boolean
  readonly watch?: boolean
}

type ServiceFlags = ConfigFlag & AddressFlags & LogFlags

/** Adds the commands that run the service and show how far it is. */
export function addServiceCommands(line: CommandLine, composition: Composition): void {
  const { add, environment } = line
  const start = withHelp(
    withLog(withAddress(withConfig(add('start', 'index and serve (the default command)')))),
    'attestry start --config attestry.yaml --port 4000',
  ).action((flags: ServiceFlags) => run(flags, { index: true, serve: true }))
  for (const wing of composition.wings) wing.startOptions?.(start)
  withHelp(
    withLog(withConfig(add('index', 'index the configured chains, without serving'))),
    'attestry index --config attestry.yaml',
  ).action((flags: ServiceFlags) => run(flags, { index: true, serve: false }))
  withHelp(
    withLog(withAddress(withConfig(add('serve', 'serve the index, without indexing')))),
    'attestry serve --config attestry.yaml --host 0.0.0.0',
  ).action((flags: ServiceFlags) => run(flags, { index: false, serve: true }))
  withHelp(
    withConfig(add('status', 'show how far each chain is indexed')),
    'attestry status --watch',
    watchHelp,
  )
    .option('--json', 'print JSON instead of a table')
    .option('--watch', 'show each second what has changed, until Ctrl-C')
    .action(async ({ watch = false, json = false, ...flags }: StatusFlags) => {
      const config = line.loadForReading(flags)
      if (watch) {
        const { watchStatus } = await import('./watchStatus.ts')
        return await untilStopped((signal) =>
          watchStatus(config.database, { json, stream: process.stdout }, signal),
        )
      }
      const { runStatus } = await import('./runStatus.ts')
      await writeLines(await runStatus(config, json))
    })

  async function run(
    flags: ServiceFlags,
    what: { readonly index: boolean; readonly serve: boolean },
  ): Promise<void> {
    const given = what.index ? line.loadForIndexing(flags) : line.loadForReading(flags)
    const config = { ...given, wings: withOptions(given.wings, flags) }
    const output = createOutputFor(config, flags)
    const { runService } = await import('./runService.ts')
    await untilStopped(async (signal) => {
      let meanwhile: Promise<Meanwhile> | null = null
      const answerMeanwhile = async (text: string) => {
        if (!what.serve) return
        const { startMeanwhile } = await import('./startMeanwhile.ts')
        if (meanwhile === null) {
          meanwhile = startMeanwhile(config.server, text)
          output.log.info({ url: (await meanwhile).url }, 'answering 503 until the index is built')
        } else (await meanwhile).say(text)
      }
      const endMeanwhile = async () => await (await meanwhile)?.close()
      for (const wing of what.index ? composition.wings : []) {
        const host = { config, environment, output, signal, answerMeanwhile }
        await wing.beforeIndexing?.(host, config.wings[wing.name])
      }
      await runService({ config, output, composition, ...what, beforeServing: endMeanwhile }, signal)
    })
  }

  function withOptions(configs: ResolvedParts, flags: ServiceFlags): ResolvedParts {
    const changed = composition.wings.flatMap(({ name, withOptions: change }) =>
      change === undefined ? [] : [[name, change(configs[name], flags)] as const],
    )
    return { ...configs, ...Object.fromEntries(changed) }
  }

  function createOutputFor(config: Config, { logLevel, logFormat }: LogFlags): Output {
    return createOutput(process.stdout, {
      debug: isDebug(environment),
      level: logLevel,
      format: logFormat,
      urls: [
        ...config.chains.flatMap(({ rpc }) => rpc),
        ...composition.wings.flatMap((wing) => wing.secretsOf?.(config.wings[wing.name]) ?? []),
      ],
    })
  }
}

function withLog(command: Command): Command {
  const formatHelp = 'json, or pretty for a person (default: pretty on a terminal)'
  return command
    .addOption(new Option('--log-level <level>', 'the least level that is logged').choices(logLevels))
    .addOption(new Option('--log-format <format>', formatHelp).choices(logFormats))
}

export function withAddress(command: Command): Command {
  return command
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port to listen on (default: 4000)')
}

const watchHelp =
  'Into a file or a pipe, --watch prints a line (with --json an object) for each chain that has changed, and for all every\n' +
  'ten seconds.'
