import { createSimulatedChain } from '../test/simulator/simulatedChain.ts'
import { startSimulatorServer } from '../test/simulator/simulatorServer.ts'
import { answerCpuQuestions } from './childProcess.ts'

/**
 * The JSON-RPC endpoint that the ingest benchmarks read from, in a process of its own: a simulated chain with as many
 * attestations as asked for, nearly all to accounts of their own. Says where it listens and what it holds as one JSON line.
 */
const attestations = Number(process.argv[2] ?? 200_000)
const chain = createSimulatedChain({
  seed: 1,
  eventBlockPercent: 100,
  eventsPerBlockMax: 20,
  schemaPercent: 0.2,
  recipientAccounts: attestations,
})
while (chain.truth.attestations.length < attestations) chain.mine(1)
const server = await startSimulatorServer(chain, { multicall: true, blockTimestamps: true })
answerCpuQuestions()
process.stdout.write(
  `${JSON.stringify({
    url: server.url,
    contract: chain.contract,
    chainId: chain.chainId,
    head: chain.head(),
    attestations: chain.truth.attestations.length,
    schemas: chain.truth.schemas.length,
  })}\n`,
)
process.on('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
