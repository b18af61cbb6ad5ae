import { withHelp } from '@attestry/host/commandLine.ts'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { CheckProofFlags } from '../commands/runCheckProof.ts'

const proofBlocksPerMinuteDefault = 60
const stateProofsPerMinuteDefault = 60

const serverKeys = {
  proofBlocksPerMinute: wholeNumber(
    0,
    100_000,
    proofBlocksPerMinuteDefault,
    'Blocks that are fetched from the endpoints of one chain for proofs within a minute; 0: no proofs are made.',
  ),
  stateProofsPerMinute: wholeNumber(
    0,
    100_000,
    stateProofsPerMinuteDefault,
    'Proofs of state that are taken from the endpoints of one chain within a minute; 0: none is taken.',
  ),
}

interface ProofLimits {
  readonly blocksPerMinute: number
  readonly statesPerMinute: number
}

/** Proofs of events and of state, and headers of blocks that the index no longer remembers. */
export const proofsWing: Wing<ProofLimits, NoKeys, typeof serverKeys> = {
  name: 'proofs',
  serverKeys,
  resolve: ({ file: { server } }) => ({
    blocksPerMinute: server?.proofBlocksPerMinute ?? proofBlocksPerMinuteDefault,
    statesPerMinute: server?.stateProofsPerMinute ?? stateProofsPerMinuteDefault,
  }),
  serve: async ({ chains, database, logger, processes }, limits) => {
    const { connectProver } = await import('../commands/connectProver.ts')
    const { openBeside } = await import('@attestry/host/openBeside.ts')
    const { keptProofsLayout, openKeptProofs } = await import('../stateProofs/keptProofs.ts')
    const { serveProofs } = await import('./serveProofs.ts')
    const { verifyProofTool } = await import('./verifyProofTool.ts')
    const { verifyProofText } = await import('../commands/verifyProofText.ts')
    const share = (ofService: number) =>
      ofService === 0 ? 0 : Math.max(1, Math.floor(ofService / processes))
    const { prove, stateProver, readHeader, rpcCounts, close } = connectProver({
      chains,
      blocksPerMinute: share(limits.blocksPerMinute),
      statesPerMinute: share(limits.statesPerMinute),
      keptProofs: openKeptProofs(await openBeside(database, keptProofsLayout)),
      logger,
    })
    const tool = verifyProofTool((proof, trusted) => verifyProofText(proof, 'The proof', trusted))
    return { ...serveProofs({ proveEvent: prove, stateProver, readHeader }), tools: [tool], rpcCounts, close }
  },
  commands: ({ add }) => {
    withHelp(
      add('check-proof', 'check a proof of an event or a state offline', ['<file>']),
      'attestry check-proof proof.json --block-hash 0x…',
      checkProofHelp,
    )
      .option('--block-hash <hash>', 'the hash of the block, from a source that you trust')
      .option(
        '--contract <address>',
        'the contract that you trust; several with commas, if an index of an issuer decides',
      )
      .action(async (file: string, flags: CheckProofFlags) => {
        const { runCheckProof } = await import('../commands/runCheckProof.ts')
        await writeLines(await runCheckProof(file, flags, process.stdin))
      })
  },
}

const checkProofHelp =
  'FILE is an answer of /scan/attestations/{id}/proof; - reads standard input. Exit codes: 0 valid, 1 not valid, 2 no proof.'
