import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { startLocalChain, type LocalChain } from '../harness/localChain.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'
import type { ExpectedAttestation, ExpectedIndex } from '../scenarios/expectedIndex.ts'
import { runOddCases } from '../scenarios/oddCases.ts'

/** The program on two real chains with unusual records: the expected index and the URL of the API. */
export interface ServedScenario {
  readonly expected: readonly ExpectedIndex[]
  readonly url: string
  /** When the program started and when it reached the heads. All times of storing lie between. */
  readonly startedMs: number
  readonly readyMs: number
  stop(): Promise<void>
}

/** Long enough for the scenario to span many hours, short enough for its limited validities. */
const blockTimeS = 600
/** The last attestations come after the first ones have left the 168 hours of trending. */
const lateHours = 160

/**
 * Runs the same scenario on two chains with equal clocks, so that nearly every record of one chain has a twin of the
 * same second on the other. On the first chain some attestations come days later. `attestry start` then indexes and
 * serves both.
 */
export async function serveScenario(): Promise<ServedScenario> {
  const chains: LocalChain[] = []
  const folder = mkdtempSync(join(tmpdir(), 'attestry-contract-'))
  let stopProgram = (): void => undefined
  const stop = async (): Promise<void> => {
    stopProgram()
    await Promise.all(chains.map((chain) => chain.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const expected = await Promise.all(
      [31_337, 11_155_111].map(async (chainId) => {
        const chain = await startLocalChain({ chainId, blockTimeS })
        chains.push(chain)
        const index = await runOddCases(chain)
        return chainId === 31_337 ? attestLate(chain, index) : index
      }),
    )
    const urls = new Map(chains.map(({ chainId, url }) => [chainId, url]))
    writeFileSync(join(folder, 'attestry.yaml'), formatConfig(expected, urls))
    const startedMs = Date.now()
    const program = spawnAttestry(['start', '--port', '0'], { cwd: folder })
    stopProgram = () => void program.child.kill('SIGKILL')
    const serving = await program.waitForLine(/"serving"/)
    const { url } = JSON.parse(serving) as { url: string }
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, {
      timeout: 60_000,
      interval: 100,
    })
    return { expected, url, startedMs, readyMs: Date.now(), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Attests under a few schemas of the scenario, days after the other attestations. */
async function attestLate(chain: LocalChain, index: ExpectedIndex): Promise<ExpectedIndex> {
  const { timestamp } = await chain.client.getBlock({ includeTransactions: false })
  await chain.client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(lateHours * 3600) })
  await chain.client.mine({ blocks: 1 })
  const late: ExpectedAttestation[] = []
  for (const [number, schemaLabel] of ['free text', 'irrevocable', 'irrevocable', 'on IPFS'].entries()) {
    const schema = index.schemas.find(({ label }) => label === schemaLabel)
    if (schema === undefined) throw new Error(`the scenario has no schema ${schemaLabel}`)
    const attester = chain.account(11).address
    const { attestationIds, receipt } = await chain.attest({ schemaId: BigInt(schema.localId), attester })
    const { timestamp: attestTimestamp } = await chain.client.getBlock({ blockHash: receipt.blockHash })
    const localId = `0x${(attestationIds[0] ?? 0n).toString(16)}`
    late.push({
      label: `late, ${number}`,
      id: `onchain_evm_${chain.chainId}_${localId}`,
      localId,
      schemaLabel,
      schemaLocalId: schema.localId,
      fullSchemaId: schema.id,
      attester,
      attestTimestamp: Number(attestTimestamp),
      recipients: [],
      indexingValue: '',
      linkedAttestation: '',
      validUntil: '0',
      data: '0x',
      dataLocation: 'ONCHAIN',
      revoked: false,
      revokeTimestamp: null,
      revokeReason: null,
      revokeTransactionHash: '',
      transactionHash: receipt.transactionHash,
      sender: attester,
      blockNumber: Number(receipt.blockNumber),
      logIndex: receipt.logs[0]?.logIndex ?? 0,
    })
  }
  return {
    ...index,
    headNumber: await chain.headNumber(),
    attestations: [...index.attestations, ...late],
  }
}

function formatConfig(expected: readonly ExpectedIndex[], urls: ReadonlyMap<number, string>): string {
  const chains = expected.map(
    ({ chainId, contract, startBlock }) => `  - chainId: ${chainId}
    name: Chain ${chainId}
    rpc: ["${urls.get(chainId)}"]
    contracts: [{ protocol: sign, address: "${contract}", startBlock: ${startBlock} }]
    pollIntervalMs: 200
`,
  )
  return `database: sqlite:index.db\nserver: { workers: 1 }\nchains:\n${chains.join('')}`
}
