import { expect, test } from 'vitest'
import { explorerLinks } from '../model/explorerLinks.ts'
import entries from '../protocols/deployments.json' with { type: 'json' }
import { knownChains } from './knownChains.ts'

test('every chain with a known deployment is known, by the same name, and no other', () => {
  const nameOfChain = new Map(entries.map(({ chainId, name }) => [chainId, name]))
  expect(new Map(knownChains.map(({ chainId, name }) => [chainId, name]))).toEqual(nameOfChain)
  expect(new Set(knownChains.map(({ name }) => name)).size).toBe(knownChains.length)
})

test('known chains have an explorer that links can be made of, and a finality that the configuration could say', () => {
  for (const { explorerUrl, finality } of knownChains) {
    const links = explorerUrl === null ? [] : Object.values<string>({ ...explorerLinks(explorerUrl) })
    for (const link of links) {
      expect(new URL(link)).toMatchObject({ protocol: 'https:', search: '', hash: '', href: link })
    }
    expect(Number.isSafeInteger(finality) && finality >= 16 && finality <= 1000).toBe(true)
  }
  const urls = knownChains.map(({ explorerUrl }) => explorerUrl).filter((url) => url !== null)
  expect(new Set(urls).size).toBe(urls.length)
})

test('a trailing slash of an explorer URL is not doubled in its links', () => {
  expect(explorerLinks('https://scan.example/evm/')).toEqual({
    address: 'https://scan.example/evm/address/',
    transaction: 'https://scan.example/evm/tx/',
    block: 'https://scan.example/evm/block/',
  })
})
