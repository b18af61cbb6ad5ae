import { withConfig, withHelp, wordsOf, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { writeLines, writeReport } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { CheckFlags } from './check/runCheck.ts'
import type { InitFlags } from './init/runInit.ts'
import type { NetworksFlags } from './networks/runNetworks.ts'

/** Commands that prepare the service. */
export const setupWing: Wing = {
  name: 'setup',
  commands: ({ add, loadForIndexing, loadForReading, readFiles }) => {
    withHelp(
      add('init', 'write a configuration file: asks, or takes options'),
      'attestry init --chains optimism --rpc https://rpc.example',
    )
      .option('--chains <names>', 'chains by name or id, such as optimism,base')
      .option('--protocols <names>', 'protocols (default: all that the chain has)')
      .option('--rpc <url...>', 'endpoints; CHAIN=URL where there are several chains')
      .option('-o, --output <file>', 'the file to write (default: ./attestry.yaml)')
      .option('--force', 'overwrite a file that exists')
      .action(async (flags: InitFlags) => {
        const { askPerson } = await import('./init/askPerson.ts')
        const { runInit } = await import('./init/runInit.ts')
        await writeLines(await askPerson((ask) => runInit(flags, ask)))
      })
    withHelp(
      add('networks', 'list the known deployments of protocols'),
      'attestry networks --protocol eas --chain optimism',
    )
      .option('--protocol <name>', 'only this protocol')
      .option('--chain <chain>', 'only this chain, by its id or its name')
      .option('--json', 'print JSON instead of a table')
      .action(async (flags: NetworksFlags) => {
        const { runNetworks } = await import('./networks/runNetworks.ts')
        await writeLines(runNetworks(flags))
      })
    withHelp(
      withConfig(add('check', 'check the configuration and its endpoints, and estimate a backfill')),
      'attestry check --requests-per-second 25',
      checkHelp,
    )
      .option('--requests-per-second <number>', 'also estimate the days on a plan of so many calls a second')
      .option('--json', 'print JSON instead of tables')
      .action(async (flags: ConfigFlag & CheckFlags) => {
        const config = loadForIndexing(flags)
        await readFiles(config)
        const { runCheck } = await import('./check/runCheck.ts')
        await untilStopped(async (signal) => writeReport(await runCheck(config, flags, signal)))
      })
    withHelp(
      withConfig(add('check-database', 'make the tables, and check whether the server can be indexed into')),
      'attestry check-database --config attestry.yaml',
      checkDatabaseHelp,
    ).action(async (flags: ConfigFlag) => {
      const { database } = loadForReading(flags)
      const { runCheckDatabase } = await import('@attestry/host/checkDatabase.ts')
      await writeReport(await runCheckDatabase(database))
    })
    withHelp(
      add('keys', 'make a key for a client', ['[order]', '[name]']),
      'attestry keys new gatekeeper',
    ).action(async (order: string | undefined, name: string | undefined) => {
      const { runKeysCommand } = await import('./runKeysCommand.ts')
      await writeLines(runKeysCommand(wordsOf(order, name)))
    })
  },
}

const checkHelp = 'Exit codes: 0 all endpoints work, 1 one of them would not work, 2 misconfigured.'
const checkDatabaseHelp =
  'attestry index and attestry start check the same before they write. Exit codes: 0 no problem, 1 a problem, 2\n' +
  'misconfigured.'
