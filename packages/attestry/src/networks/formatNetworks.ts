import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatColumns } from '@attestry/host/formatQuantities.ts'
import type { Network } from '@attestry/host/networks/knownNetworks.ts'

/** The lines of the table that `attestry networks` prints, one for each deployment. */
export function formatNetworks(networks: readonly Network[]): readonly string[] {
  return formatColumns([header, ...rowsOf(networks)], [false, true, false, false, true, false])
}

/** The text of `docs/networks.md`. */
export function formatNetworksPage(networks: readonly Network[]): string {
  const deployments = networks.flatMap((network) => network.deployments)
  const protocols = new Set(deployments.map(({ protocol }) => protocol))
  const rows = networks.map((network) => {
    const names = [network.name, ...network.aliases].map((name) => `\`${name}\``).join(', ')
    const contracts = network.deployments.map(({ protocol, deploymentName, contract, startBlock }) => {
      const called = deploymentName === null ? '' : ` (${deploymentName})`
      return `\`${protocol}\`${called} \`${checksumAddress(contract)}\` ${startBlock ?? 'found'}`
    })
    return `| ${network.chainId} | ${names} | ${contracts.join('<br>')} |`
  })
  return `${pageHead(deployments.length, protocols.size, networks.length)}${rows.join('\n')}\n`
}

const header = ['NETWORK', 'CHAIN', 'PROTOCOL', 'CONTRACT', 'FIRST BLOCK', 'ALSO CALLED']

function rowsOf(networks: readonly Network[]): readonly (readonly string[])[] {
  return networks.flatMap(({ name, chainId, aliases, deployments }) =>
    deployments.map(({ protocol, deploymentName, contract, startBlock }) => [
      name,
      String(chainId),
      deploymentName === null ? protocol : `${protocol} (${deploymentName})`,
      checksumAddress(contract),
      startBlock === null ? 'found' : String(startBlock),
      aliases.join(', '),
    ]),
  )
}

function pageHead(deployments: number, protocols: number, networks: number): string {
  return `# Networks

${deployments} deployments of ${protocols} protocols on ${networks} chains are known by address. \`attestry networks\` prints them.
A first block that is *found* is [searched once](configure.md#contracts). On every other chain \`eas\` means the
predeploys of the OP stack.

| chain id | names | protocol, contract, first block |
|---|---|---|
`
}
