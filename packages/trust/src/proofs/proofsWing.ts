import { withHelp } from '@attestry/host/commandLine.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { CheckProofFlags } from '../commands/runCheckProof.ts'

/** Proofs of events. */
export const proofsWing: Wing = {
  name: 'proofs',
  commands: ({ add }) => {
    withHelp(
      add('check-proof', 'check a proof of an event offline', ['<file>']),
      'attestry check-proof proof.json --block-hash 0x…',
      checkProofHelp,
    )
      .option('--block-hash <hash>', 'the hash of the block, from a source that you trust')
      .option('--contract <address>', 'the contract that you trust')
      .action(async (file: string, flags: CheckProofFlags) => {
        const { runCheckProof } = await import('../commands/runCheckProof.ts')
        await writeLines(await runCheckProof(file, flags, process.stdin))
      })
  },
}

const checkProofHelp =
  'FILE is an answer of /scan/attestations/{id}/proof; - reads standard input. Exit codes: 0 valid, 1 not valid, 2 no proof.'
