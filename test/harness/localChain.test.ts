import { parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeAddressRecipient } from '@attestry/demo/encodeRecipient.ts'
import { multicall3Address } from '@attestry/demo/deploySign.ts'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { type LocalChain, startLocalChain } from './localChain.ts'

describe('the local chain', () => {
  let chain: LocalChain
  beforeAll(async () => {
    chain = await startLocalChain()
  })
  afterAll(() => chain?.stop())

  const read = (id: bigint) =>
    chain.client.readContract({
      address: chain.address,
      abi: signAbi,
      functionName: 'getAttestation',
      args: [id],
    })
  const logs = () =>
    chain.client.getLogs({ address: chain.address, fromBlock: BigInt(chain.startBlock), toBlock: 'latest' })

  test('has every registration, attestation and revocation, delegated or not', async () => {
    const registrant = chain.account(1).address
    const attester = chain.account(2).address
    const relayer = chain.account(9).address
    const { schemaId } = await chain.register({ registrant, data: '{"name":"First","data":[]}' }, relayer)
    const schema = await chain.client.readContract({
      address: chain.address,
      abi: signAbi,
      functionName: 'getSchema',
      args: [schemaId],
    })
    expect(schema).toMatchObject({ registrant, data: '{"name":"First","data":[]}', revocable: true })
    const alone = await chain.attest(
      {
        schemaId,
        attester,
        data: '0x1234',
        recipients: [encodeAddressRecipient(registrant)],
        indexingValue: 'one',
      },
      relayer,
    )
    expect(alone.receipt.from).toBe(relayer.toLowerCase())
    const [id = 0n] = alone.attestationIds
    expect(await read(id)).toMatchObject({ schemaId, attester, data: '0x1234', revoked: false })
    const batch = await chain.attestBatch(
      [
        { schemaId, attester, linkedAttestationId: id },
        { schemaId, attester, indexingValue: 'three' },
      ],
      relayer,
    )
    expect(batch.attestationIds).toEqual([id + 1n, id + 2n])
    await chain.revoke(attester, id, 'wrong', relayer)
    await chain.revokeBatch(attester, [id + 1n, id + 2n], ['', 'late'], relayer)
    await chain.attestOffchain(attester, ['a'], relayer)
    await chain.attestOffchain(attester, ['b', 'c'], relayer)
    await chain.revokeOffchain(attester, ['b'], ['gone'])
    expect(await read(id)).toMatchObject({ revoked: true })
    const names = parseEventLogs({ abi: signAbi, logs: await logs() }).map((log) => log.eventName)
    expect(names).toEqual([
      'SchemaRegistered',
      'AttestationMade',
      'AttestationMade',
      'AttestationMade',
      'AttestationRevoked',
      'AttestationRevoked',
      'AttestationRevoked',
      'OffchainAttestationMade',
      'OffchainAttestationMade',
      'OffchainAttestationMade',
      'OffchainAttestationRevoked',
    ])
  })

  test('stops with the reason if a transaction reverts', async () => {
    const attester = chain.account(3).address
    await expect(chain.attest({ schemaId: 999n, attester })).rejects.toThrow('reverted: SchemaNonexistent.')
  })

  test('reads at the hash of blocks behind the head', async () => {
    await chain.mine(70)
    const head = await chain.headNumber()
    const { hash } = await chain.client.getBlock({ blockNumber: BigInt(head - 70) })
    const counter = await chain.client.readContract({
      address: chain.address,
      abi: signAbi,
      functionName: 'attestationCounter',
      blockHash: hash,
    })
    expect(counter).toBe(4n)
  })

  test('answers batched reads at the address of Multicall3', async () => {
    const contract = { address: chain.address, abi: signAbi } as const
    const answers = await chain.client.multicall({
      multicallAddress: multicall3Address,
      contracts: [
        { ...contract, functionName: 'schemaCounter' },
        { ...contract, functionName: 'getSchema', args: [0n] },
      ],
    })
    expect(answers.map((answer) => answer.status)).toEqual(['success', 'failure'])
  })

  test.each([1, 5, 40])(
    'gives other blocks, and ids to other records, after a rollback of %i',
    async (depth) => {
      const { schemaId } = await chain.register({ registrant: chain.account(1).address, data: 'plain' })
      const before = await chain.attest({ schemaId, attester: chain.account(4).address, data: '0xaa' })
      await chain.mine(depth - 1)
      const removed = await chain.client.getBlock({ blockNumber: before.receipt.blockNumber })
      await chain.rollback(depth)
      expect(await chain.headNumber()).toBe(Number(before.receipt.blockNumber) - 1)
      expect((await logs()).map((log) => log.blockHash)).not.toContain(removed.hash)
      const after = await chain.attest({ schemaId, attester: chain.account(5).address, data: '0xbb' })
      expect(after.attestationIds).toEqual(before.attestationIds)
      expect(after.receipt.blockHash).not.toBe(removed.hash)
      expect(await read(after.attestationIds[0] ?? 0n)).toMatchObject({ data: '0xbb' })
      await chain.mine(depth)
    },
  )

  test('replaces empty blocks by other ones', async () => {
    await chain.mine(3)
    const head = BigInt(await chain.headNumber())
    const removed = await chain.client.getBlock({ blockNumber: head })
    await chain.rollback(3)
    await chain.mine(3)
    const replaced = await chain.client.getBlock({ blockNumber: head })
    expect(replaced.hash).not.toBe(removed.hash)
  })
})
