import { registriesOf, type IndexedContract } from '@attestry/core/model/indexedContract.ts'

/** The last block that is indexed for both sets of contracts; null if nothing above it is indexed. */
export function findRewind(
  checkpointBlock: number | null,
  pending: number | null,
  before: readonly IndexedContract[],
  after: readonly IndexedContract[],
): number | null {
  if (checkpointBlock === null) return null
  const startBlocks = [...difference(before, after), ...difference(after, before)].map(
    (contract) => contract.startBlock - 1,
  )
  const rewindTo = Math.max(-1, Math.min(...startBlocks, pending ?? checkpointBlock))
  return rewindTo < checkpointBlock ? rewindTo : null
}

function difference(of: readonly IndexedContract[], without: readonly IndexedContract[]): IndexedContract[] {
  const known = new Set(without.map(contractKey))
  return of.filter((contract) => !known.has(contractKey(contract)))
}

function contractKey(contract: IndexedContract): string {
  const { protocol, address, schemaRegistry, startBlock } = contract
  return JSON.stringify([protocol, address, schemaRegistry, startBlock, registriesOf(contract)])
}

/** The contracts in an order that does not depend on how they were configured. */
export function sortContracts(contracts: readonly IndexedContract[]): IndexedContract[] {
  return contracts
    .map((contract) => ({
      protocol: contract.protocol,
      address: contract.address,
      schemaRegistry: contract.schemaRegistry,
      ...registriesOf(contract),
      startBlock: contract.startBlock,
    }))
    .sort((a, b) => (contractKey(a) < contractKey(b) ? -1 : 1))
}
