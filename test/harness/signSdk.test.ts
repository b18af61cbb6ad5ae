import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { type LocalChain, startLocalChain } from './localChain.ts'
import { createSignSdkClient } from './signSdk.ts'

describe("Sign Protocol's own client on a local chain", () => {
  let chain: LocalChain
  beforeAll(async () => {
    chain = await startLocalChain()
    await chain.setAutomine(true)
  })
  afterAll(() => chain?.stop())

  test('registers, attests and revokes', async () => {
    const sdk = createSignSdkClient(chain, 4)
    const { address } = chain.account(4)
    const { schemaId } = await sdk.createSchema({
      name: 'From the SDK',
      description: 'Written by the official client',
      data: [
        { name: 'title', type: 'string' },
        { name: 'amount', type: 'uint256' },
      ],
    })
    const recipient = chain.account(6).address
    const { attestationId } = await sdk.createAttestation({
      schemaId,
      data: { title: 'Invoice', amount: 12n },
      recipients: [recipient],
      indexingValue: 'invoice-1',
    })
    await sdk.revokeAttestation(attestationId, { reason: 'Paid twice' })

    const contract = { address: chain.address, abi: signAbi } as const
    const schema = await chain.client.readContract({
      ...contract,
      functionName: 'getSchema',
      args: [BigInt(schemaId)],
    })
    expect(schema.registrant).toBe(address)
    expect(JSON.parse(schema.data)).toMatchObject({ name: 'From the SDK' })
    const attestation = await chain.client.readContract({
      ...contract,
      functionName: 'getAttestation',
      args: [BigInt(attestationId)],
    })
    expect(attestation).toMatchObject({ attester: address, schemaId: BigInt(schemaId), revoked: true })
    // The SDK encodes recipients as strings, addresses included.
    expect(Buffer.from((attestation.recipients[0] ?? '0x').slice(2), 'hex').includes(recipient)).toBe(true)
  })
})
