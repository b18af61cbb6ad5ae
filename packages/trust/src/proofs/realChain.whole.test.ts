import { createWalletClient, http, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLocalChain, type LocalChain } from '@attestry/test/harness/localChain.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { ProvenEvent } from '@attestry/core/model/recordProof.ts'
import { buildProof } from './buildProof.ts'
import { checkProof } from './checkProof.ts'
import { encodeBlock, type EncodedBlock } from './encodeBlock.ts'

let chain: LocalChain
beforeAll(async () => {
  chain = await startLocalChain()
})
afterAll(() => chain?.stop())

test('every event of a real chain can be proven from its block, among transactions of every type', async () => {
  const attester = chain.account(1).address
  const { schemaId, receipt: registered } = await chain.register({ registrant: attester, data: '{}' })
  await sendEachType()
  const attest = await chain.build.attestBatch(
    Array.from({ length: 40 }, () => ({ schemaId, attester })),
    chain.account(9).address,
  )
  const receipts = await chain.mineTogether([...Array.from({ length: 3 }, () => attest)])
  const revoked = await chain.revoke(attester, 1n, 'no more')

  const block = await encodeReal(receipts[0]!.blockNumber)
  const types = await typesOf(receipts[0]!.blockNumber)
  expect(types).toEqual(expect.arrayContaining(['0x0', '0x1', '0x2', '0x4']))
  for (const [id, logIndex] of [
    [1n, 0],
    [40n, 39],
    [41n, 40],
    [120n, 119],
  ] as const) {
    await expectProven(block, 'attestation', id, logIndex)
  }
  await expectProven(await encodeReal(registered.blockNumber), 'schema', schemaId, 0)
  await expectProven(await encodeReal(revoked.blockNumber), 'revocation', 1n, 0)
})

async function expectProven(block: EncodedBlock, event: ProvenEvent, id: bigint, logIndex: number) {
  const proof = await buildProof(block, {
    event,
    protocol: 'sign',
    key: { chainId: chain.chainId, localId: localIdOfCounter(id) },
    position: eventPosition(block.header.number, logIndex),
    contracts: [parseAddress(chain.address) ?? zeroAddress],
  })
  expect(proof).toMatchObject({ logIndex })
  expect(await checkProof(proof!)).toEqual({ kind: 'valid' })
}

async function encodeReal(blockNumber: bigint): Promise<EncodedBlock> {
  const block = await ask('eth_getBlockByNumber', [toHex(blockNumber), false])
  const receipts = await ask('eth_getBlockReceipts', [toHex(blockNumber)])
  const encoded = await encodeBlock(
    block as Record<string, unknown>,
    receipts as readonly Record<string, unknown>[],
  )
  if (encoded.kind === 'unprovable') throw new Error(encoded.reason)
  return encoded
}

async function typesOf(blockNumber: bigint): Promise<string[]> {
  const receipts = await ask('eth_getBlockReceipts', [toHex(blockNumber)])
  return (receipts as readonly { type: string }[]).map(({ type }) => type)
}

/** Puts a transaction of each type that an unaided account can send into the pool. */
async function sendEachType(): Promise<void> {
  const to = chain.account(8).address
  const walletOf = (index: number) =>
    createWalletClient({ account: chain.account(index), transport: http(chain.url) })
  const fees = { chain: null, to, gas: 100_000n, nonce: 0 }
  const gasPrice = 10n ** 10n
  const authorization = await walletOf(7).signAuthorization({ contractAddress: to, chainId: 0, nonce: 0 })
  await walletOf(4).sendTransaction({ ...fees, type: 'legacy', gasPrice })
  await walletOf(5).sendTransaction({ ...fees, type: 'eip2930', gasPrice, accessList: [] })
  await walletOf(6).sendTransaction({
    ...fees,
    type: 'eip7702',
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: 1n,
    authorizationList: [authorization],
  })
}

function ask(method: string, params: readonly unknown[]): Promise<unknown> {
  return chain.client.request({ method, params } as never)
}
