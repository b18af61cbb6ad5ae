import { createSimulatedChain, noEvents, signShape } from '../test/simulator/simulatedChain.ts'
import type { EpochShape } from '../test/simulator/planEpoch.ts'
import { startSimulatorServer } from '../test/simulator/simulatorServer.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * The JSON-RPC endpoint that the ingest benchmarks read from, in a process of its own: a simulated chain with as many
 * attestations as asked for, nearly all to accounts of their own. Arguments: how many, `dense`, `crowded` or `sparse`, the latency of each request in
 * milliseconds. Says where it listens and what it holds as one JSON line, and answers the question `requests` with how
 * many HTTP requests it has answered.
 */
const attestations = Number(process.argv[2] ?? 200_000)
const isSparse = process.argv[3] === 'sparse'
const latencyMs = Number(process.argv[4] ?? 0)

const attestationsPerBlock = process.argv[3] === 'crowded' ? 100 : 10

/** Ten attestations in each block, or a hundred; or one event in each hundredth block. */
const shape: EpochShape = isSparse
  ? { blocks: 100, eventBlocks: 1, events: { ...noEvents, signAttestation: 1 } }
  : signShape({ blocks: 20, eventBlocks: 20, attestations: 20 * attestationsPerBlock })
const chain = createSimulatedChain({
  seed: 1,
  shape,
  // A chain that began long ago, since sparse ones are long.
  blockTime: isSparse ? 2 : 12,
  recipientAccounts: attestations,
  epochsKept: Number.POSITIVE_INFINITY,
})
const epochs = Math.ceil(attestations / shape.events.signAttestation)
chain.mine(1 + epochs * shape.blocks)
// All is worked out before it is asked for: what is measured is the indexer, not the chain that it reads.
chain.events(chain.view(), 0, chain.head())
const server = await startSimulatorServer(chain, { latencyMs })
answerQuestions({ requests: server.httpRequests })
const counts = chain.countsAt(chain.view(), chain.head())
process.stdout.write(
  `${JSON.stringify({
    url: server.url,
    contract: chain.contracts.sign,
    chainId: chain.chainId,
    head: chain.head(),
    attestations: chain.count('signAttestation'),
    schemas: chain.count('signSchema'),
    events: Object.values(counts).reduce((sum, count) => sum + count, 0),
  })}\n`,
)
process.on('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
