import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import type { IndexName } from './stateProof.ts'
import table from './issuerIndexes.json' with { type: 'json' }

/** An index of attestations of EAS that a contract keeps. */
export interface IssuerIndex {
  readonly name: IndexName
  readonly contract: Address
  /** Whether the attester puts each of its attestations there, so that an empty entry means “no attestation”. */
  readonly isComplete: boolean
}

const names: readonly IndexName[] = ['coinbase', 'passport', 'eas-indexer']

const known = table.flatMap(({ name, chainId, contract, attester }) => {
  const [found, address] = [names.find((each) => each === name), parseAddress(contract)]
  if (found === undefined || address === null) throw new TypeError(`${name} is no index with an address`)
  return [
    { name: found, chainId, contract: address, attester: attester === null ? null : parseAddress(attester) },
  ]
})

/** The known indexes that an attester's attestations on a chain are in, the complete one first. */
export function findIssuerIndexes(chainId: ChainId, attester: Address): readonly IssuerIndex[] {
  return known
    .filter((each) => each.chainId === chainId && (each.attester === null || each.attester === attester))
    .map(({ name, contract, attester: only }) => ({ name, contract, isComplete: only !== null }))
    .toSorted((a, b) => Number(b.isComplete) - Number(a.isComplete))
}
