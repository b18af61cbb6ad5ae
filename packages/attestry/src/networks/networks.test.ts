import { expect, test } from 'vitest'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { formatNetworksPage } from './formatNetworks.ts'
import { findNetwork, listNetworks } from '@attestry/host/networks/knownNetworks.ts'
import { runNetworks } from './runNetworks.ts'

const networks = listNetworks(knownProtocols.chains, knownProtocols.deployments)

// `npx vitest run packages/attestry/src/networks/networks.test.ts --update` writes the page anew.
test('docs/networks.md lists what the program knows', async () => {
  await expect(formatNetworksPage(networks)).toMatchFileSnapshot('../../../../docs/networks.md')
})

test('each name finds only its own network, and every deployment is listed', () => {
  for (const network of networks) {
    for (const name of [network.title, network.name, ...network.aliases, network.name.toUpperCase()]) {
      expect(findNetwork(name, networks)?.chainId, name).toBe(network.chainId)
    }
  }
  expect(networks.flatMap(({ deployments }) => deployments)).toHaveLength(knownProtocols.deployments.length)
  expect(runNetworks({})).toHaveLength(knownProtocols.deployments.length + 1)
})

test('no text without letters is a name', () => {
  expect(findNetwork('', networks)).toBeNull()
  expect(findNetwork('--', networks)).toBeNull()
})

test.each(['optimism', 'OP Mainnet', 'op-mainnet', '10'])('--chain takes %s', (chain) => {
  const lines = runNetworks({ chain, protocol: 'eas' })
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(
    /^op-mainnet +10 +eas +0x4200000000000000000000000000000000000021 +found +optimism$/,
  )
})

test('--json holds the addresses of each network', () => {
  const parsed: unknown = JSON.parse(runNetworks({ chain: 'sepolia', json: true }).join('\n'))
  expect(parsed).toMatchObject([
    {
      chainId: 11155111,
      name: 'sepolia',
      deployments: [{ protocol: 'eas' }, { protocol: 'erc8004' }, { protocol: 'sign' }],
    },
  ])
})

test.each([
  [{ chain: 'optimsm' }, /--chain must name .* but is "optimsm"; did you mean optimism\?/],
  [{ chain: '31337' }, /--chain must name .* but is "31337"; attestry networks lists the names/],
  [
    { protocol: 'sgin' },
    /--protocol must be one of eas, erc8004, sign, verax, but is "sgin"; did you mean sign\?/,
  ],
  [{ protocol: 'verax', chain: 'telos' }, /No deployment of verax is known on "telos"/],
])('a mistake in %o is named', (flags, sentence) => {
  expect(() => runNetworks(flags)).toThrow(sentence)
})
