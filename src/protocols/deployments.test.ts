import { isAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { knownDeployments } from './deployments.ts'
import entries from './deployments.json' with { type: 'json' }

describe('the known deployments', () => {
  test('name a protocol once on a chain', () => {
    const keys = knownDeployments.map((known) => `${known.protocol} ${known.chainId}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(new Set(knownDeployments.map((known) => known.protocol))).toEqual(new Set(['sign', 'eas']))
  })

  test('call a chain by one name', () => {
    const nameOfChain = new Map(entries.map((entry) => [entry.chainId, entry.name]))
    for (const entry of entries) expect(entry.name).toBe(nameOfChain.get(entry.chainId))
  })

  test('have addresses whose checksums are right, and blocks that can be', () => {
    for (const entry of entries) {
      const isRegistryRight =
        entry.protocol === 'eas' ? isAddress(entry.schemaRegistry ?? '') : entry.schemaRegistry === undefined
      expect([entry.contract, isAddress(entry.contract), isRegistryRight]).toEqual([
        entry.contract,
        true,
        true,
      ])
    }
    for (const { chainId, startBlock } of knownDeployments) {
      expect(Number.isSafeInteger(chainId) && chainId > 0).toBe(true)
      expect(startBlock === null || (Number.isSafeInteger(startBlock) && startBlock >= 0)).toBe(true)
    }
  })

  test('hold addresses in the form of the index, and null for what is unknown', () => {
    expect(knownDeployments.find((known) => known.protocol === 'sign' && known.chainId === 11155111)).toEqual(
      {
        protocol: 'sign',
        chainId: 11155111,
        contract: '0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5',
        schemaRegistry: null,
        startBlock: 5658228,
      },
    )
    expect(
      knownDeployments.find((known) => known.protocol === 'eas' && known.chainId === 8453),
    ).toMatchObject({
      schemaRegistry: '0x4200000000000000000000000000000000000020',
      startBlock: null,
    })
  })
})
