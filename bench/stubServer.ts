import { createSimulatedChain, noEvents, signShape } from '@attestry/test/simulator/simulatedChain.ts'
import type { EpochShape } from '@attestry/test/simulator/planEpoch.ts'
import { startSimulatorServer } from '@attestry/test/simulator/simulatorServer.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * The JSON-RPC endpoint of the ingest benchmarks, in a process of its own: a simulated chain whose attestations nearly
 * all have recipients of their own. Arguments: the number of attestations, `dense`, `crowded` or `sparse`, and the
 * latency of each request in milliseconds. Prints its URL and the size of the chain as one JSON line, and answers the
 * question `requests` with the number of HTTP requests so far.
 */
const attestations = Number(process.argv[2] ?? 200_000)
const isSparse = process.argv[3] === 'sparse'
const latencyMs = Number(process.argv[4] ?? 0)

const attestationsPerBlock = process.argv[3] === 'crowded' ? 100 : 10

/** Ten attestations in each block, or a hundred; or one event per hundred blocks. */
const shape: EpochShape = isSparse
  ? { blocks: 100, eventBlocks: 1, events: { ...noEvents, signAttestation: 1 } }
  : signShape({ blocks: 20, eventBlocks: 20, attestations: 20 * attestationsPerBlock })
const chain = createSimulatedChain({
  seed: 1,
  shape,
  // The chain begins long ago, since sparse chains have many blocks.
  blockTime: isSparse ? 2 : 12,
  recipientAccounts: attestations,
  epochsKept: Number.POSITIVE_INFINITY,
})
const epochs = Math.ceil(attestations / shape.events.signAttestation)
chain.mine(1 + epochs * shape.blocks)
// All answers are prepared in advance, so that the benchmark measures the indexer and not this server.
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
