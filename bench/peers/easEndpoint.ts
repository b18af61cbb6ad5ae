import { startSimulatorServer } from '@attestry/test/simulator/simulatorServer.ts'
import { answerQuestions } from '../childProcess.ts'
import { mineEasChain } from '../easChain.ts'

/**
 * The JSON-RPC endpoint that all indexers are given, in a process of its own: a simulated chain of EAS with a hundred
 * attestations, five revocations and a schema in ten blocks. The argument is the number of attestations. Prints one
 * line of JSON (`EndpointReady`). The question `mine` adds a block and is answered with an attestation of the block.
 */
export interface EndpointReady {
  readonly url: string
  readonly contract: string
  readonly schemaRegistry: string
  readonly chainId: number
  readonly attestations: number
  readonly revocations: number
  /** Ids of attestations, the newest first. */
  readonly newest: readonly string[]
  /** Ids and recipients spread over the whole chain. */
  readonly uids: readonly string[]
  readonly recipients: readonly string[]
}

const recordsPerRecipient = 20
const samples = 1_000

const attestations = Number(process.argv[2] ?? 20_000)
const chain = mineEasChain(attestations, Math.ceil(attestations / recordsPerRecipient))
const events = chain.events(chain.view(), 0, chain.head())
const made = events.filter((event) => event.kind === 'easAttestation').map(({ record }) => record)
const sampled = made.filter((_, index) => index % Math.ceil(made.length / samples) === 0)
const server = await startSimulatorServer(chain)

answerQuestions({
  mine: () => {
    for (;;) {
      chain.mine(1)
      const last = chain
        .events(chain.view(), chain.head(), chain.head())
        .findLast((event) => event.kind === 'easAttestation')
      if (last !== undefined) return last.record.uid
    }
  },
})
process.stdout.write(
  `${JSON.stringify({
    url: server.url,
    contract: chain.contracts.eas,
    schemaRegistry: chain.contracts.schemaRegistry,
    chainId: chain.chainId,
    attestations: made.length,
    revocations: events.filter((event) => event.kind === 'easRevocation').length,
    newest: made
      .slice(-10)
      .map(({ uid }) => uid)
      .toReversed(),
    uids: sampled.map(({ uid }) => uid),
    recipients: [
      ...new Set(sampled.flatMap(({ recipient }) => (recipient === null ? [] : [`0x${recipient}`]))),
    ],
  } satisfies EndpointReady)}\n`,
)
process.on('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
