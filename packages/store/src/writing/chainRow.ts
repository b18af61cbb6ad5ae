import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { columnsOfDigest, digestOfColumns, type DigestColumns } from '../layout/chainDigest.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { Reads } from '../port/reads.ts'
import type { Tables } from '../port/tables.ts'

/** The row of a chain with its progress and its counters; null for a chain that was never opened. */
export async function findChainRow(reads: Pick<Reads, 'get'>, chainId: ChainId): Promise<ChainRow | null> {
  const row = await reads.get<
    [
      number,
      number | null,
      number | null,
      number | null,
      number,
      number,
      number,
      number,
      number,
      ...DigestColumns,
    ]
  >(
    'SELECT ordinal, checkpoint_block, checkpoint_timestamp, rewind_to, schema_count, attestation_count, ' +
      'revocation_count, undecodable_count, next_field_id, digest_block, digest_events, digest FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) return null
  return {
    ordinal: row[0],
    chainId,
    checkpointBlock: row[1],
    checkpointTimestamp: row[2],
    rewindTo: row[3],
    schemaCount: row[4],
    attestationCount: row[5],
    revocationCount: row[6],
    undecodableCount: row[7],
    nextFieldId: row[8],
    digest: digestOfColumns([row[9], row[10], row[11]]),
  }
}

/** @throws StoreInvariantError if the chain has no row. */
export async function requireChainRow(reads: Pick<Reads, 'get'>, chainId: ChainId): Promise<ChainRow> {
  const chain = await findChainRow(reads, chainId)
  if (chain !== null) return chain
  throw new StoreInvariantError(`chain ${chainId} was never opened`, { facts: { chainId } })
}

export async function writeChainRow(tables: Pick<Tables, 'run'>, chain: ChainRow): Promise<void> {
  await tables.run(
    'UPDATE chain SET checkpoint_block = ?, checkpoint_timestamp = ?, rewind_to = ?, schema_count = ?, ' +
      'attestation_count = ?, revocation_count = ?, undecodable_count = ?, next_field_id = ?, digest_block = ?, digest_events = ?, digest = ? WHERE chain_id = ?',
    chain.checkpointBlock,
    chain.checkpointTimestamp,
    chain.rewindTo,
    chain.schemaCount,
    chain.attestationCount,
    chain.revocationCount,
    chain.undecodableCount,
    chain.nextFieldId,
    ...columnsOfDigest(chain.digest),
    chain.chainId,
  )
}
