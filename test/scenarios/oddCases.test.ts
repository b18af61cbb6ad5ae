import { getAddress, isAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { type LocalChain, startLocalChain } from '../harness/localChain.ts'
import type { ExpectedIndex } from './expectedIndex.ts'
import { runOddCases } from './oddCases.ts'

describe('the scenario of odd cases', () => {
  let chain: LocalChain
  let expected: ExpectedIndex
  beforeAll(async () => {
    chain = await startLocalChain({ chainId: 11_155_111 })
    expected = await runOddCases(chain)
  })
  afterAll(() => chain?.stop())

  const readAttestation = (localId: string) =>
    chain.client.readContract({
      address: chain.address,
      abi: signAbi,
      functionName: 'getAttestation',
      args: [BigInt(localId)],
    })

  test('names every record once, and every id once', () => {
    for (const records of [expected.schemas, expected.attestations]) {
      expect(new Set(records.map(({ label }) => label)).size).toBe(records.length)
      expect(records.map(({ id }) => id)).toEqual(
        records.map((_, index) => `onchain_evm_11155111_0x${(index + 1).toString(16)}`),
      )
    }
  })

  test('expects schemas that the contract holds', async () => {
    const names = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM']
    const held = await Promise.all(
      expected.schemas.map(async ({ label, localId }) => {
        const schema = await chain.client.readContract({
          address: chain.address,
          abi: signAbi,
          functionName: 'getSchema',
          args: [BigInt(localId)],
        })
        return {
          label,
          registrant: schema.registrant,
          registerTimestamp: Number(schema.timestamp),
          revocable: schema.revocable,
          maxValidFor: String(schema.maxValidFor),
          resolver: schema.hook,
          dataLocation: names[schema.dataLocation],
          rawText: schema.data,
        }
      }),
    )
    expect(expected.schemas).toMatchObject(held)
  })

  test('expects attestations that the contract holds', async () => {
    const held = await Promise.all(
      expected.attestations.map(async ({ label, localId, recipients }) => {
        const attestation = await readAttestation(localId)
        const linked = attestation.linkedAttestationId
        expect(attestation.recipients).toHaveLength(recipients.length)
        return {
          label,
          attester: attestation.attester,
          schemaLocalId: `0x${attestation.schemaId.toString(16)}`,
          attestTimestamp: Number(attestation.attestTimestamp),
          linkedAttestation: linked === 0n ? '' : `onchain_evm_11155111_0x${linked.toString(16)}`,
          validUntil: String(attestation.validUntil),
          data: attestation.data,
          revoked: attestation.revoked,
          revokeTimestamp: attestation.revoked ? Number(attestation.revokeTimestamp) : null,
        }
      }),
    )
    expect(expected.attestations).toMatchObject(held)
  })

  test('expects recipients that are in the bytes on chain, and addresses in their checksummed form', async () => {
    const missing: string[] = []
    for (const { label, recipients, localId } of expected.attestations) {
      const { recipients: onChain } = await readAttestation(localId)
      for (const [index, recipient] of recipients.entries()) {
        const bytes = Buffer.from((onChain[index] ?? '0x').slice(2), 'hex')
        const asText = bytes.toString('utf8').toLowerCase().includes(recipient.toLowerCase())
        const asBytes = recipient.startsWith('0x') && bytes.includes(Buffer.from(recipient.slice(2), 'hex'))
        if (!asText && !asBytes) missing.push(`${label}: ${recipient}`)
        if (isAddress(recipient, { strict: false }) && recipient !== getAddress(recipient))
          missing.push(label)
      }
    }
    expect(missing).toEqual([])
  })

  test('expects indexing values that the logs carry', async () => {
    const missing: string[] = []
    for (const { label, transactionHash, indexingValue, logIndex } of expected.attestations) {
      const receipt = await chain.client.getTransactionReceipt({ hash: transactionHash })
      const log = receipt.logs.find((candidate) => candidate.logIndex === logIndex)
      const bytes = Buffer.from((log?.data ?? '0x').slice(2), 'hex')
      if (!bytes.includes(indexingValue)) missing.push(label)
    }
    expect(missing).toEqual([])
  })

  test('covers the events that it promises', () => {
    const { attestations, schemas } = expected
    expect(attestations.filter(({ revoked }) => revoked).length).toBeGreaterThanOrEqual(11)
    expect(attestations.some((a) => a.revokeTransactionHash === a.transactionHash)).toBe(true)
    expect(
      attestations.some(
        (a) => a.revokeTimestamp === a.attestTimestamp && a.revokeTransactionHash !== a.transactionHash,
      ),
    ).toBe(true)
    expect(attestations.filter(({ attester, sender }) => attester !== sender).length).toBeGreaterThan(3)
    expect(schemas.filter(({ registrant, sender }) => registrant !== sender).length).toBe(2)
    expect(expected.anchors).toEqual({ made: 4, revoked: 1 })
  })
})
