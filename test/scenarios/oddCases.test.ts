import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signAbi } from '../../src/demo/signAbi.ts'
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
    for (const schema of expected.schemas) {
      const onChain = await chain.client.readContract({
        address: chain.address,
        abi: signAbi,
        functionName: 'getSchema',
        args: [BigInt(schema.localId)],
      })
      expect(
        {
          registrant: onChain.registrant,
          registerTimestamp: Number(onChain.timestamp),
          revocable: onChain.revocable,
          maxValidFor: String(onChain.maxValidFor),
          resolver: onChain.hook,
          dataLocation: names[onChain.dataLocation],
          rawText: onChain.data,
        },
        schema.label,
      ).toEqual({
        registrant: schema.registrant,
        registerTimestamp: schema.registerTimestamp,
        revocable: schema.revocable,
        maxValidFor: schema.maxValidFor,
        resolver: schema.resolver,
        dataLocation: schema.dataLocation,
        rawText: schema.rawText,
      })
    }
  })

  test('expects attestations that the contract holds', async () => {
    for (const attestation of expected.attestations) {
      const onChain = await chain.client.readContract({
        address: chain.address,
        abi: signAbi,
        functionName: 'getAttestation',
        args: [BigInt(attestation.localId)],
      })
      const linked = onChain.linkedAttestationId
      expect(
        {
          attester: onChain.attester,
          schemaLocalId: `0x${onChain.schemaId.toString(16)}`,
          attestTimestamp: Number(onChain.attestTimestamp),
          recipients: onChain.recipients.length,
          linkedAttestation: linked === 0n ? '' : `onchain_evm_11155111_0x${linked.toString(16)}`,
          validUntil: String(onChain.validUntil),
          data: onChain.data,
          revoked: onChain.revoked,
          revokeTimestamp: onChain.revoked ? Number(onChain.revokeTimestamp) : null,
        },
        attestation.label,
      ).toEqual({
        attester: attestation.attester,
        schemaLocalId: attestation.schemaLocalId,
        attestTimestamp: attestation.attestTimestamp,
        recipients: attestation.recipients.length,
        linkedAttestation: attestation.linkedAttestation,
        validUntil: attestation.validUntil,
        data: attestation.data,
        revoked: attestation.revoked,
        revokeTimestamp: attestation.revokeTimestamp,
      })
    }
  })

  test('expects recipients and indexing values that are on chain as bytes', async () => {
    for (const {
      label,
      recipients,
      localId,
      transactionHash,
      indexingValue,
      logIndex,
    } of expected.attestations) {
      const { recipients: onChain } = await chain.client.readContract({
        address: chain.address,
        abi: signAbi,
        functionName: 'getAttestation',
        args: [BigInt(localId)],
      })
      for (const [index, recipient] of recipients.entries()) {
        const bytes = Buffer.from((onChain[index] ?? '0x').slice(2), 'hex')
        const asHex = recipient.startsWith('0x') ? recipient.slice(2).toLowerCase() : null
        const found =
          bytes.includes(Buffer.from(recipient)) ||
          bytes.toString('utf8').toLowerCase().includes(recipient.toLowerCase()) ||
          (asHex !== null && bytes.toString('hex').includes(asHex))
        expect(found, `${label}: ${recipient}`).toBe(true)
        if (/^0x[0-9a-f]{40}$/i.test(recipient)) expect(recipient).toBe(getAddress(recipient))
      }
      const receipt = await chain.client.getTransactionReceipt({ hash: transactionHash })
      const log = receipt.logs.find((candidate) => candidate.logIndex === logIndex)
      expect(Buffer.from((log?.data ?? '0x').slice(2), 'hex').includes(indexingValue), label).toBe(true)
    }
  })

  test('covers what it promises', () => {
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
