import { createEffect, S } from 'envio'
import { EAS } from 'generated'
import { createPublicClient, http, parseAbi } from 'viem'

const abi = parseAbi([
  'struct Attestation { bytes32 uid; bytes32 schema; uint64 time; uint64 expirationTime; uint64 revocationTime; bytes32 refUID; address recipient; address attester; bool revocable; bytes data; }',
  'function getAttestation(bytes32 uid) view returns (Attestation)',
])
const address = process.env.BENCH_EAS as `0x${string}`
const url = process.env.BENCH_RPC_URL!

/** Reads of one batch of events go out together, by Multicall3 and in batches of JSON-RPC. */
const client = createPublicClient({
  chain: {
    id: Number(process.env.BENCH_CHAIN_ID),
    name: 'bench',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: '0xca11bde05977b3631167028862be2a173976ca11' } },
  },
  transport: http(url, { batch: true }),
  batch: { multicall: { batchSize: 16_384 } },
})

const getAttestation = createEffect(
  {
    name: 'getAttestation',
    input: S.string,
    output: {
      schema: S.string,
      attester: S.string,
      recipient: S.string,
      time: S.bigint,
      expirationTime: S.bigint,
      refUID: S.string,
      revocable: S.boolean,
      data: S.string,
    },
    rateLimit: false,
    cache: false,
  },
  ({ input }) =>
    client.readContract({ abi, address, functionName: 'getAttestation', args: [input as `0x${string}`] }),
)

EAS.Attested.handler(async ({ event, context }) => {
  const record = await context.effect(getAttestation, event.params.uid)
  context.Attestation.set({
    id: event.params.uid,
    position: BigInt(event.block.number) * 100_000n + BigInt(event.logIndex),
    schemaId: record.schema,
    attester: record.attester,
    recipient: record.recipient,
    time: record.time,
    expirationTime: record.expirationTime,
    refUid: record.refUID,
    revocable: record.revocable,
    revoked: false,
    revocationTime: 0n,
    data: record.data,
    transactionHash: event.transaction.hash,
  })
})

EAS.Revoked.handler(async ({ event, context }) => {
  const known = await context.Attestation.getOrThrow(event.params.uid)
  context.Attestation.set({ ...known, revoked: true, revocationTime: BigInt(event.block.timestamp) })
})
