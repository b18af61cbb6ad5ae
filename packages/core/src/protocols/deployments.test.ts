import { isAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { findDeployment, knownDeployments } from './deployments.ts'
import entries from './deployments.json' with { type: 'json' }

describe('the known deployments', () => {
  test('name a protocol once on a chain', () => {
    const keys = knownDeployments.map((known) => `${known.protocol} ${known.chainId}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(new Set(knownDeployments.map((known) => known.protocol))).toEqual(
      new Set(['sign', 'eas', 'verax', 'erc8004']),
    )
  })

  test('call a chain by one name', () => {
    const nameOfChain = new Map(entries.map((entry) => [entry.chainId, entry.name]))
    for (const entry of entries) expect(entry.name).toBe(nameOfChain.get(entry.chainId))
  })

  test('have addresses whose checksums are right, and blocks that can be', () => {
    for (const entry of entries) {
      const isRegistryRight =
        entry.protocol === 'sign' || entry.protocol === 'erc8004'
          ? entry.schemaRegistry === undefined
          : isAddress(entry.schemaRegistry ?? '')
      for (const registry of [entry.portalRegistry, entry.moduleRegistry]) {
        expect(registry === undefined || isAddress(registry)).toBe(true)
        expect(registry === undefined).toBe(entry.protocol !== 'verax')
      }
      for (const registry of [entry.reputationRegistry, entry.validationRegistry]) {
        expect(registry === undefined || isAddress(registry)).toBe(true)
        expect(registry === undefined).toBe(entry.protocol !== 'erc8004')
      }
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
        deploymentName: null,
        chainId: 11155111,
        chainName: 'sepolia',
        contract: '0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5',
        schemaRegistry: null,
        registries: {},
        startBlock: 5658228,
        startBlockHint: null,
      },
    )
    expect(
      knownDeployments.find((known) => known.protocol === 'eas' && known.chainId === 8453),
    ).toMatchObject({
      schemaRegistry: '0x4200000000000000000000000000000000000020',
      startBlock: null,
      startBlockHint: 3701279,
    })
  })

  test('have a hint of the first block only where that block is unknown', () => {
    for (const { startBlock, startBlockHint } of knownDeployments) {
      expect(startBlockHint === null || startBlock === null).toBe(true)
    }
  })
})

describe('the deployment of a protocol on a chain', () => {
  test('is a known one, BAS on the chains of BNB for EAS', () => {
    expect(findDeployment('eas', 56, knownDeployments)).toMatchObject({
      contract: '0x247fe62d887bc9410c3848df2f322e52da9a51bc',
    })
    expect(findDeployment('verax', 59144, knownDeployments)).toMatchObject({ startBlock: 346695 })
  })

  test('is that of the OP stack for EAS on any other chain', () => {
    expect(findDeployment('eas', 1135, knownDeployments)).toEqual({
      protocol: 'eas',
      deploymentName: null,
      chainId: 1135,
      chainName: 'chain 1135',
      contract: '0x4200000000000000000000000000000000000021',
      schemaRegistry: '0x4200000000000000000000000000000000000020',
      registries: {},
      startBlock: null,
      startBlockHint: null,
    })
    expect(findDeployment('sign', 1135, knownDeployments)).toBeNull()
    expect(findDeployment('verax', 1135, knownDeployments)).toBeNull()
  })
})
