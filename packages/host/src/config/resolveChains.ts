import { knownChains, type KnownChain } from '@attestry/core/chain/knownChains.ts'
import type { RequestLimits } from '@attestry/core/chain/requestBudget.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { explorerLinks, type ExplorerLinks } from '@attestry/core/model/explorerLinks.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { furtherRegistries } from '@attestry/core/model/indexedContract.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import {
  findDeployment,
  knownDeployments,
  type ConfiguredDeployment,
  type KnownDeployment,
} from '@attestry/core/protocols/deployments.ts'
import { protocolNames } from '@attestry/core/model/protocolNames.ts'
import {
  endpointRequestsDefault,
  finalityDefault,
  pollIntervalMsDefault,
  type ChainEntry,
} from './configSchema.ts'
import { findNetwork, hintAtNetwork, listNetworks } from '../networks/knownNetworks.ts'
import { describeUrl, formatKeyPath, quoteText, type KeyPath } from './describeValue.ts'
import { MistakeFound, settleParts } from './mistakes.ts'

/** A chain to index, with every default filled in. */
export interface ChainConfig {
  readonly chainId: ChainId
  readonly name: string
  readonly explorer: ExplorerLinks | null
  /** Endpoint URLs with their secrets; only the chain client may read them. */
  readonly rpc: readonly string[]
  /** Limits of each endpoint. */
  readonly requests: RequestLimits
  /** At least one; each protocol and each contract once. */
  readonly deployments: readonly ConfiguredDeployment[]
  readonly finality: number
  readonly pollIntervalMs: number
  readonly transactionSenders: boolean
  /** Address of a published index, which a chain that is new to the index begins with. May hold a password. */
  readonly from: string | null
}

/** Protocols that can be indexed, their known deployments, and known chains. */
export interface KnownProtocols {
  readonly names: readonly ProtocolName[]
  readonly deployments: readonly KnownDeployment[]
  readonly chains: readonly KnownChain[]
}

/** The protocols, deployments and chains that this program knows. */
export const knownProtocols: KnownProtocols = {
  names: protocolNames,
  deployments: knownDeployments,
  chains: knownChains,
}

/**
 * Resolves the `chains` block of a file that matches the schema. `raw` holds the same entries before environment
 * variables were substituted. An endpoint that still names a variable in `entries` may be missing, and is left out.
 * @throws MistakeFound
 */
export function resolveChains(
  entries: readonly ChainEntry[],
  raw: readonly ChainEntry[],
  known: KnownProtocols,
): readonly ChainConfig[] {
  const seen = new Map<ChainId, number>()
  const parts = entries.map((entry, index) => () => {
    const path: KeyPath = ['chains', index]
    const chainId = entry.chainId ?? findChainId(entry.name, path, known)
    const first = seen.get(chainId)
    if (first !== undefined) {
      throw MistakeFound.at(
        [...path, entry.chainId === undefined ? 'name' : 'chainId'],
        `must be listed once, but is ${chainId} as in chains[${first}]`,
      )
    }
    seen.set(chainId, index)
    return resolveChain({ ...entry, chainId }, raw[index] ?? entry, path, known)
  })
  return settleParts<readonly ChainConfig[]>(parts)
}

/** The id of a chain that is given only by its name. */
function findChainId(name: string | undefined, path: KeyPath, known: KnownProtocols): ChainId {
  if (name === undefined) {
    throw MistakeFound.at(
      [...path, 'chainId'],
      'is missing; it must be a whole number of at least 1, such as 11155111, or name must be that of a known network',
    )
  }
  const networks = listNetworks(known.chains, known.deployments)
  const found = findNetwork(name, networks)
  if (found !== null) return found.chainId
  throw MistakeFound.at(
    [...path, 'name'],
    `must be that of a known network where chainId is missing, but is ${quoteText(name)}; ${hintAtNetwork(name, networks)}`,
  )
}

/** An entry whose chain is known. */
type IdentifiedEntry = ChainEntry & { readonly chainId: ChainId }

function resolveChain(
  entry: IdentifiedEntry,
  raw: ChainEntry,
  path: KeyPath,
  known: KnownProtocols,
): ChainConfig {
  const { chainId } = entry
  const knownChain = known.chains.find((chain) => chain.chainId === chainId)
  const explorerUrl = entry.explorerUrl ?? knownChain?.explorerUrl ?? null
  const [rpc, deployments] = settleParts<readonly [readonly string[], readonly ConfiguredDeployment[]]>([
    () => checkEndpoints(entry.rpc, raw.rpc, [...path, 'rpc']),
    () => resolveDeployments(entry, path, known),
  ])
  return {
    chainId,
    name: entry.name ?? knownChain?.name ?? `chain ${chainId}`,
    explorer: explorerUrl === null ? null : explorerLinks(explorerUrl),
    rpc,
    requests: { ...endpointRequestsDefault, ...entry.requests },
    deployments,
    finality: entry.finality ?? knownChain?.finality ?? finalityDefault,
    pollIntervalMs: entry.pollIntervalMs ?? pollIntervalMsDefault,
    transactionSenders: entry.transactionSenders ?? false,
    from: entry.from ?? null,
  }
}

function checkEndpoints(urls: readonly string[], raw: readonly string[], path: KeyPath): readonly string[] {
  const parts = urls.map((url, index) => (): readonly string[] => {
    if (url.includes('${')) return []
    const place: KeyPath = [...path, index]
    if (!URL.canParse(url) || !/^(?:http|ws)s?:\/\//i.test(url)) {
      throw MistakeFound.at(
        place,
        `must be a URL that starts with http://, https://, ws:// or wss://, but is ${describeUrl(raw[index] ?? '')}${fromVariable(raw[index])}`,
      )
    }
    const twin = urls.indexOf(url)
    if (twin < index) {
      throw MistakeFound.at(
        place,
        `is the same URL as ${formatKeyPath([...path, twin])}; list each endpoint once`,
      )
    }
    return [url]
  })
  return settleParts<readonly (readonly string[])[]>(parts).flat()
}

function fromVariable(raw: string | undefined): string {
  return raw?.includes('${') === true ? ' (an environment variable, whose value is not shown)' : ''
}

interface PlacedDeployment {
  readonly deployment: ConfiguredDeployment
  readonly path: KeyPath
}

function resolveDeployments(
  entry: IdentifiedEntry,
  path: KeyPath,
  known: KnownProtocols,
): readonly ConfiguredDeployment[] {
  const placed = settleParts<readonly PlacedDeployment[]>([
    ...(entry.protocols ?? []).map((protocol, index) => () => {
      const place: KeyPath = [...path, 'protocols', index]
      return { path: place, deployment: findKnownDeployment(protocol, entry.chainId, place, known) }
    }),
    ...(entry.contracts ?? []).map((contract, index) => () => {
      const place: KeyPath = [...path, 'contracts', index]
      return { path: place, deployment: resolveContract(contract, entry.chainId, place, known) }
    }),
  ])
  if (placed.length === 0) {
    throw MistakeFound.at(
      path,
      `names nothing to index; add protocols (${known.names.join(', ')}) for known deployments, or contracts`,
    )
  }
  for (const [index, { deployment, path: place }] of placed.entries()) {
    for (const earlier of placed.slice(0, index)) {
      assertDifferent(deployment, place, earlier)
    }
  }
  return placed.map(({ deployment }) => deployment)
}

function findKnownDeployment(
  protocol: ProtocolName,
  chainId: ChainId,
  path: KeyPath,
  known: KnownProtocols,
): ConfiguredDeployment {
  const found = findDeployment(protocol, chainId, known.deployments)
  if (found === null) {
    throw MistakeFound.at(
      path,
      `must have a known deployment on chain ${chainId}, but is ${protocol}; spell the contract out under contracts, with its address`,
    )
  }
  const { contract, schemaRegistry, registries, startBlock, startBlockHint } = found
  const hint = startBlockHint === null ? {} : { startBlockHint }
  return { protocol, chainId, address: contract, schemaRegistry, ...registries, startBlock, ...hint }
}

function resolveContract(
  contract: NonNullable<ChainEntry['contracts']>[number],
  chainId: ChainId,
  path: KeyPath,
  known: KnownProtocols,
): ConfiguredDeployment {
  const { protocol, startBlock = null } = contract
  const address = checkAddress(contract.address, [...path, 'address'])
  const ofProtocol = known.deployments.filter((d) => d.protocol === protocol)
  for (const [name, records] of [
    ['portalRegistry', 'portals'],
    ['moduleRegistry', 'modules'],
    ['reputationRegistry', 'feedback'],
    ['validationRegistry', 'validations'],
  ] as const) {
    const isKnown = ofProtocol.some(({ registries }) => registries[name] !== undefined)
    if (contract[name] !== undefined && !isKnown) {
      throw MistakeFound.at([...path, name], `is given, but ${protocol} has no ${records}; leave the key out`)
    }
  }
  const registries = Object.fromEntries(
    furtherRegistries.flatMap((name) => {
      const registry = contract[name]
      return registry === undefined ? [] : [[name, checkAddress(registry, [...path, name])]]
    }),
  )
  const hasRegistry = ofProtocol.some(({ schemaRegistry }) => schemaRegistry !== null)
  const place: KeyPath = [...path, 'schemaRegistry']
  if (contract.schemaRegistry === undefined) {
    if (hasRegistry) {
      throw MistakeFound.at(
        place,
        `is missing; it must be the address of the contract in which ${protocol} registers schemas`,
      )
    }
    return { protocol, chainId, address, schemaRegistry: null, ...registries, startBlock }
  }
  if (!hasRegistry) {
    throw MistakeFound.at(
      place,
      `is given, but ${protocol} registers schemas in the same contract; leave the key out`,
    )
  }
  return {
    protocol,
    chainId,
    address,
    schemaRegistry: checkAddress(contract.schemaRegistry, place),
    ...registries,
    startBlock,
  }
}

/** An address in mixed case has a checksum (EIP-55); a wrong checksum is most likely a mistyped digit. */
function checkAddress(text: string, path: KeyPath): Address {
  const address = parseAddress(text)
  if (address === null)
    throw MistakeFound.at(path, `must be 0x and 40 hexadecimal digits, but is ${quoteText(text)}`)
  const digits = text.slice(2)
  const claimsChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (claimsChecksum && checksumAddress(address) !== text) {
    throw MistakeFound.at(
      path,
      `must have a right checksum or be in lower case, but is ${quoteText(text)}; look for a mistyped digit`,
    )
  }
  return address
}

function assertDifferent(deployment: ConfiguredDeployment, path: KeyPath, earlier: PlacedDeployment): void {
  const other = formatKeyPath(earlier.path)
  if (deployment.address === earlier.deployment.address) {
    throw MistakeFound.at(path, `is the same contract as ${other}; list each once`)
  }
  // A record's id consists of its chain and its number in its contract: two contracts would give the same ids.
  if (deployment.protocol === earlier.deployment.protocol) {
    throw MistakeFound.at(
      path,
      `is a second ${deployment.protocol} contract beside ${other}; a chain can have one of each protocol, as the ids of two would collide`,
    )
  }
}
