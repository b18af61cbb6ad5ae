import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionIndex } from '@attestry/core/model/position.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { DigestedEvent, StoredDigest } from '@attestry/core/index/storedRecords.ts'
import { digestOfColumns, formatDigest, type DigestColumns } from '../layout/chainDigest.ts'
import { addToDigest, emptyDigest, formatSum } from '../layout/eventDigest.ts'
import type { Reads } from '../port/reads.ts'
import { readDigest, readEvents } from './readDigest.ts'

/** @see IndexReader.findDigest */
export async function findDigest(
  reads: Reads,
  chainId: ChainId,
  block: number | null,
): Promise<StoredDigest | null> {
  const row = await reads.get<[ordinal: number, contractsJson: string, ...DigestColumns]>(
    'SELECT ordinal, contracts_json, digest_block, digest_events, digest FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) return null
  const [ordinal, contractsJson, ...columns] = row
  const newest = digestOfColumns(columns)
  const contracts = JSON.parse(contractsJson) as IndexedContract[]
  const at = block ?? newest.block
  if (at === null || at > (newest.block ?? -1)) {
    return { newest: formatDigest(newest), asked: null, contracts, events: [] }
  }
  const chain = { chainId, ordinal }
  const asked = at === newest.block ? newest : await readDigest(reads, chain, at)
  const events: DigestedEvent[] = []
  for await (const some of readEvents(reads, chain, at, at)) {
    events.push(...some.map((event) => digestedEvent(chainId, event)))
  }
  return { newest: formatDigest(newest), asked: formatDigest(asked), contracts, events }
}

function digestedEvent(chainId: ChainId, event: DomainEvent): DigestedEvent {
  const [type, localId] = typeOf(event)
  return {
    type,
    eventIndex: positionIndex(event.position),
    record: localId === null ? null : { chainId, localId },
    value: formatSum(addToDigest(emptyDigest, [event])),
  }
}

function typeOf(event: DomainEvent): readonly [DigestedEvent['type'], LocalId | null] {
  switch (event.kind) {
    case 'schemaRegistered':
      return ['schema', event.schema.key.localId]
    case 'attestationMade':
      return ['attestation', event.attestation.key.localId]
    case 'attestationRevoked':
      return ['revocation', event.localId]
    case 'schemaNamed':
      return ['name', event.schemaLocalId]
    case 'anchorMade':
      return ['anchor', null]
    case 'metadataSet':
      return ['metadata', null]
    case 'undecodableLog':
      return ['undecodable', null]
  }
}
