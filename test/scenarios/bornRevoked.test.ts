import { toEventSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectSources } from '@attestry/demo/collectSources.ts'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { acceptBornRevoked, emitUint256Ids, signInterfaceName } from '../harness/legacySign.ts'
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

  test.each([
    ['SchemaRegistered', '0x0084a511eb95d20783ca15f4a700e3ebae82c5a3b891ae7910bbd966695845bf'],
    ['AttestationMade', '0x1832721a412644a22475e05aed6d68366bb3e1adfc4df49b6eabdad773da1044'],
    ['AttestationRevoked', '0xc44d6340c50a9fd05ab3c2a2be47cd92f00ae53c38b7f1847962b80ee66640db'],
  ])('emits the event %s of 1.0.x', async (name, topic) => {
    const { [signInterfaceName]: text = '' } = emitUint256Ids(await collectSources([signInterfaceName]))
    const [event = ''] = new RegExp(`event ${name}\\([^)]*\\)`).exec(text) ?? []
    expect(toEventSelector(event)).toBe(topic)
  })
})
