import { Type } from 'typebox'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { choiceOption, withConfig, withHelp, wordsOf, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { configOf, type NoKeys } from '@attestry/host/config/configPart.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { settleParts } from '@attestry/host/config/mistakes.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import {
  offchainSchema,
  resolveOffchain,
  resolveSignerChains,
  type OffchainConfig,
  type SignersConfig,
} from './offchainSchema.ts'
import type { OffchainFlags } from '../commands/runOffchainCommand.ts'

interface OffchainSettings {
  /** The store; null if nothing is stored. */
  readonly store: OffchainConfig | null
  /** The chains on which contracts are asked about statements that name no chain. */
  readonly signerChains: readonly ChainId[]
}

const keys = { offchain: Type.Optional(offchainSchema) }

/** Off-chain attestations, and their store. */
export const offchainWing: Wing<OffchainSettings, typeof keys, NoKeys> = {
  name: 'offchain',
  keys,
  partPaths: { offchain: ['/scan/offchain', '/offchain', '/sp'] },
  resolve: ({ file: { offchain, server, chains = [] } }) => {
    const [store, signerChains] = settleParts<readonly [OffchainConfig | null, readonly ChainId[]]>([
      () =>
        resolveOffchain(
          offchain,
          (server?.keys ?? []).map(({ name }) => name),
        ),
      () =>
        resolveSignerChains(
          offchain,
          chains.flatMap(({ chainId }) => chainId ?? []),
        ),
    ])
    return { store, signerChains }
  },
  serve: async ({ chains, database, logger }, { store, signerChains }) => {
    const { connectContractSigners } = await import('../commands/connectContractSigners.ts')
    const { createOffchainVerifier } = await import('../commands/createOffchainVerifier.ts')
    const { openOffchain } = await import('../commands/openOffchain.ts')
    const { serveOffchain } = await import('./serveOffchain.ts')
    const signers = connectContractSigners(chains, signerChains, logger)
    const opened = store === null ? null : await openOffchain(database)
    const storage =
      store === null || opened === null
        ? null
        : {
            store: opened,
            writers: store.writers === null ? ('anyone' as const) : new Set(store.writers),
            quota: store.quota,
          }
    return {
      ...serveOffchain(createOffchainVerifier(chains, signers.ask), storage),
      rpcCounts: signers.rpcCounts,
      close: async () => {
        await Promise.all([signers.close(), opened?.close()])
      },
    }
  },
  commands: ({ add, loadForReading }) => {
    withHelp(
      withConfig(add('verify-offchain', 'verify an off-chain attestation', ['<file>'])),
      'attestry verify-offchain attestation.json',
      verifyOffchainHelp,
    ).action(async (file: string, flags: ConfigFlag) => {
      const { readInput } = await import('@attestry/host/readInput.ts')
      const { runVerifyOffchain } = await import('../commands/runVerifyOffchain.ts')
      const input = await readInput(file, process.stdin, 'an off-chain attestation')
      const config = flags.config === undefined ? null : withSigners(loadForReading(flags))
      await runVerifyOffchain(input, config, (line) => writeLines([line]))
    })
    withHelp(
      withConfig(
        add('offchain', 'export, import and delete stored off-chain attestations', ['[order]', '[id]']),
      ),
      'attestry offchain export --output offchain.ndjson',
      offchainHelp,
    )
      .option('-o, --output <file>', 'export: write to a file instead of standard output')
      .option('-i, --input <file>', 'import: read a file instead of standard input')
      .addOption(
        choiceOption(
          '--format <format>',
          'export: ndjson, which can be imported; car: the texts for ipfs dag import',
          ['ndjson', 'car'],
        ),
      )
      .option('--reason <text>', 'delete: why, for the tombstone')
      .option('--signer <address>', 'delete: whose record, if several accounts signed the same words')
      .action(
        async (order: string | undefined, id: string | undefined, flags: ConfigFlag & OffchainFlags) => {
          const { runOffchainCommand } = await import('../commands/runOffchainCommand.ts')
          await runOffchainCommand(withSigners(loadForReading(flags)), wordsOf(order, id), flags)
        },
      )
  },
}

function withSigners(config: Config): SignersConfig {
  return { ...config, signerChains: configOf(offchainWing, config.wings).signerChains }
}

const verifyOffchainHelp =
  'FILE is an envelope of EAS or BAS, a link that holds one, or a signed body of Sign Protocol; - reads standard input.\n' +
  'Without --config nothing but the file is looked at. Exit codes: 0 valid, 1 not valid, 2 no attestation.'
const offchainHelp =
  'Orders: export, import, delete ID --reason TEXT. An import verifies each text again and leaves out those that fail.\n' +
  'Exit codes: 0 done, 1 an entry was refused, 2 misconfigured.'
