import type { KnownChain } from '@attestry/core/chain/knownChains.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { KnownDeployment } from '@attestry/core/protocols/deployments.ts'
import { suggestName } from '../config/suggestName.ts'

/** A chain with known deployments, and the names by which a configuration may call the chain. */
export interface Network {
  readonly chainId: ChainId
  /** Common name of the chain, such as `OP Mainnet`. */
  readonly title: string
  /** The title in lower case with dashes, such as `op-mainnet`. */
  readonly name: string
  /** Further names, as the makers of protocols write them, such as `optimism`. */
  readonly aliases: readonly string[]
  readonly deployments: readonly KnownDeployment[]
}

/** All known networks by chain id, and their deployments by protocol. */
export function listNetworks(
  chains: readonly KnownChain[],
  deployments: readonly KnownDeployment[],
): readonly Network[] {
  return chains
    .map(({ chainId, name: title }) => {
      const own = deployments.filter((deployment) => deployment.chainId === chainId)
      const name = dashed(title)
      const aliases = own.map(({ chainName }) => dashed(chainName))
      return {
        chainId,
        title,
        name,
        aliases: [...new Set(aliases)].filter((alias) => alias !== name),
        deployments: own.toSorted((a, b) => a.protocol.localeCompare(b.protocol)),
      }
    })
    .toSorted((a, b) => a.chainId - b.chainId)
}

/** The network of a name; case, spaces and punctuation do not count. Null if no network has the name. */
export function findNetwork(text: string, networks: readonly Network[]): Network | null {
  const wanted = letters(text)
  if (wanted === '') return null
  return networks.find((network) => namesOf(network).some((name) => letters(name) === wanted)) ?? null
}

/** The end of a sentence about an unknown name of a network: what may be meant, or where all names are. */
export function hintAtNetwork(text: string, networks: readonly Network[]): string {
  const suggestion = suggestName(text, networks.flatMap(namesOf))
  return suggestion === null ? 'attestry networks lists the names' : `did you mean ${suggestion}?`
}

function namesOf({ title, name, aliases }: Network): readonly string[] {
  return [title, name, ...aliases]
}

function dashed(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
