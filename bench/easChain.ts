import {
  createSimulatedChain,
  noEvents,
  type SimulatedChain,
} from '@attestry/test/simulator/simulatedChain.ts'

const attestationsPerEpoch = 100
const blocksPerEpoch = 10

/** A simulated chain of EAS: a hundred attestations, five revocations and a schema in ten blocks, of two seconds each. */
export function mineEasChain(attestations: number, recipientAccounts: number): SimulatedChain {
  const chain = createSimulatedChain({
    seed: 1,
    shape: {
      blocks: blocksPerEpoch,
      eventBlocks: blocksPerEpoch,
      events: { ...noEvents, easSchema: 1, easAttestation: attestationsPerEpoch, easRevocation: 5 },
    },
    blockTime: 2,
    recipientAccounts,
    hasPayloads: true,
    epochsKept: Number.POSITIVE_INFINITY,
  })
  chain.mine(1 + Math.ceil(attestations / attestationsPerEpoch) * blocksPerEpoch)
  return chain
}
