import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { suggestName } from '@attestry/host/config/suggestName.ts'
import { formatNetworks } from './formatNetworks.ts'
import {
  findNetwork,
  hintAtNetwork,
  listNetworks,
  type Network,
} from '@attestry/host/networks/knownNetworks.ts'

/** Options of `attestry networks`, not yet checked. */
export interface NetworksFlags {
  readonly protocol?: string
  readonly chain?: string
  readonly json?: boolean
}

/**
 * The known deployments as lines to print.
 * @throws ConfigError for a protocol or a chain without a known deployment.
 */
export function runNetworks({ protocol, chain, json }: NetworksFlags): readonly string[] {
  const all = listNetworks(knownProtocols.chains, knownProtocols.deployments)
  const chosen = chain === undefined ? all : [chooseNetwork(chain, all)]
  const networks = protocol === undefined ? chosen : chosen.flatMap((each) => onlyProtocol(each, protocol))
  if (protocol !== undefined && networks.length === 0) throw noDeployment(protocol, chain, all)
  return json === true ? [JSON.stringify(networks, null, 2)] : formatNetworks(networks)
}

function chooseNetwork(text: string, all: readonly Network[]): Network {
  const byId = all.find(({ chainId }) => String(chainId) === text)
  const found = byId ?? findNetwork(text, all)
  if (found !== null) return found
  throw new ConfigError(
    `The option --chain must name a chain with a known deployment, by its id or its name, but is ${quoteText(text)}; ${hintAtNetwork(text, all)}`,
  )
}

function onlyProtocol(network: Network, protocol: string): readonly Network[] {
  const deployments = network.deployments.filter((deployment) => deployment.protocol === protocol)
  return deployments.length === 0 ? [] : [{ ...network, deployments }]
}

function noDeployment(protocol: string, chain: string | undefined, all: readonly Network[]): ConfigError {
  const names = [...new Set(all.flatMap(({ deployments }) => deployments.map((each) => each.protocol)))]
  if (chain !== undefined && names.some((name) => name === protocol)) {
    return new ConfigError(`No deployment of ${protocol} is known on ${quoteText(chain)}`)
  }
  const suggestion = suggestName(protocol, names)
  const hint = suggestion === null ? '' : `; did you mean ${suggestion}?`
  return new ConfigError(
    `The option --protocol must be one of ${names.toSorted().join(', ')}, but is ${quoteText(protocol)}${hint}`,
  )
}
