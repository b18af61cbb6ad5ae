import { expect, test } from 'vitest'
import { zeroAddress } from '../model/hex.ts'
import { knownDeployments } from './deployments.ts'
import { nameDeployment } from './nameDeployment.ts'

test('the deployments on the chains of BNB are called BAS, those of other makers by their protocol', () => {
  const named = knownDeployments.map(({ chainId, protocol, contract: address }) => ({
    chainId,
    name: nameDeployment(chainId, { protocol, address }),
  }))
  expect(new Set(named.map(({ name }) => name))).toEqual(
    new Set(['Sign Protocol', 'EAS', 'BAS', 'ERC-8004', 'Verax']),
  )
  expect(named.filter(({ name }) => name === 'BAS').map(({ chainId }) => chainId)).toEqual([
    56, 97, 204, 5611,
  ])
})

test('another contract on such a chain has the name of its protocol, one of a protocol without adapter the name that it is kept by', () => {
  expect(nameDeployment(56, { protocol: 'eas', address: zeroAddress })).toBe('EAS')
  expect(nameDeployment(56, { protocol: 'other', address: zeroAddress })).toBe('other')
})
