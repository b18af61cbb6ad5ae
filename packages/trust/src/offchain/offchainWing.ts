import { choiceOption, withConfig, withHelp, wordsOf, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { OffchainFlags } from '../commands/runOffchainCommand.ts'

/** Off-chain attestations, and their store. */
export const offchainWing: Wing = {
  name: 'offchain',
  commands: ({ add, loadForReading }) => {
    withHelp(
      withConfig(add('verify-offchain', 'verify an off-chain attestation', ['<file>'])),
      'attestry verify-offchain attestation.json',
      verifyOffchainHelp,
    ).action(async (file: string, flags: ConfigFlag) => {
      const { readInput } = await import('@attestry/host/readInput.ts')
      const { runVerifyOffchain } = await import('../commands/runVerifyOffchain.ts')
      const input = await readInput(file, process.stdin, 'an off-chain attestation')
      const config = flags.config === undefined ? null : loadForReading(flags)
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
          await runOffchainCommand(loadForReading(flags), wordsOf(order, id), flags)
        },
      )
  },
}

const verifyOffchainHelp =
  'FILE is an envelope of EAS or BAS, a link that holds one, or a signed body of Sign Protocol; - reads standard input.\n' +
  'Without --config nothing but the file is looked at. Exit codes: 0 valid, 1 not valid, 2 no attestation.'
const offchainHelp =
  'Orders: export, import, delete ID --reason TEXT. An import verifies each text again and leaves out those that fail.\n' +
  'Exit codes: 0 done, 1 an entry was refused, 2 misconfigured.'
