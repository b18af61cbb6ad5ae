import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { acceptBornRevoked, emitUint256Ids } from '../harness/legacySign.ts'
import { type LocalChain, startLocalChain } from '../harness/localChain.ts'
import { runBornRevoked } from './bornRevoked.ts'

describe('the contract of earlier versions', () => {
  let chain: LocalChain | undefined
  beforeAll(async () => {
    chain = await startLocalChain({ changeSources: acceptBornRevoked })
  })
  afterAll(() => chain?.stop())

  test('holds attestations that were made revoked', async () => {
    if (chain === undefined) throw new Error('The chain did not start.')
    const { client, address } = chain
    const { attestations } = await runBornRevoked(chain)
    const held = await Promise.all(
      attestations.map(async ({ label, localId }) => {
        const { revoked } = await client.readContract({
          address,
          abi: signAbi,
          functionName: 'getAttestation',
          args: [BigInt(localId)],
        })
        return { label, revoked }
      }),
    )
    expect(attestations).toMatchObject(held)
    const logs = await client.getContractEvents({
      address,
      abi: signAbi,
      eventName: 'AttestationRevoked',
      fromBlock: 0n,
    })
    expect(logs).toHaveLength(1)
    expect(attestations.filter(({ revoked }) => revoked)).toHaveLength(5)
  })

  test('emits the events of 1.0.x', async () => {
    const old = await startLocalChain({ changeSources: emitUint256Ids })
    const registrant = old.account(1).address
    // The event of 1.1 does not match, so the test reads the id from the receipt.
    const { receipt } = await old.register({ registrant, data: 'old' })
    await old.stop()
    expect(receipt.logs[0]?.topics).toEqual([
      '0x0084a511eb95d20783ca15f4a700e3ebae82c5a3b891ae7910bbd966695845bf',
    ])
  })
})
