import type { ChainId, LocalId, RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { StoredTransaction } from '@attestry/core/index/storedRecords.ts'
import { hexBytes, transactionKey } from '../layout/hexColumn.ts'
import { positionMask } from '../layout/rowId.ts'
import { cutOf } from './cut.ts'
import type { ReadSession } from './session.ts'
import { attestationColumns, storedAttestations, type AttestationRow } from './storedAttestation.ts'
import { schemasAsOf } from './schemaAsOf.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** The first digits of the hash of a revoking transaction, with `0x`: what the index over those hashes holds. */
export const revokingDigits = 14

const rowFields = { detail: false, schema: false }

/**
 * Finds the records that a transaction made or revoked, in the order of the chain; null if none is indexed. One
 * answer holds all of them: the gas of a block bounds their number. Before EIP-155 one transaction could be sent to
 * several chains: the first of them by number counts, unless `chainId` names one.
 */
export async function findTransaction(
  session: ReadSession,
  hash: Hash,
  chainId: ChainId | null,
): Promise<StoredTransaction | null> {
  const { connection, cut } = session
  const { dialect } = connection
  const key = transactionKey(hash)
  const [schemas, attestations, revocations] = await Promise.all([
    connection.all<[position: number, ...SchemaRow]>(
      `SELECT s.position, ${schemaColumns} FROM schema s WHERE ${dialect.flag('s.registered', true)} ` +
        'AND s.transaction_key = ? AND s.transaction_hash = ? ORDER BY s.position',
      key,
      hash,
    ),
    connection.all<[position: number, ...AttestationRow]>(
      `SELECT a.id & ${positionMask}, ${attestationColumns(dialect, rowFields)} FROM attestation a ` +
        'WHERE a.transaction_key = ? AND a.transaction_hash = ? ORDER BY a.id',
      key,
      hexBytes(hash),
    ),
    // A record that was born revoked has no event of its own: its transaction revoked the record.
    connection.all<[position: number, chainId: number, localId: string, protocol: string]>(
      `SELECT coalesce(a.revoked_id, a.id) & ${positionMask} AS position, a.chain_id, a.local_id, a.protocol FROM attestation a ` +
        `WHERE substr(a.revoke_transaction, 1, ${revokingDigits}) = ? AND a.revoke_transaction = ? ORDER BY position`,
      hash.slice(0, revokingDigits),
      hash,
    ),
  ])
  const told = [...schemas, ...attestations, ...revocations].map(([position, onChain]) => {
    return { position: position as Position, chainId: onChain }
  })
  const isCounted = ({ position, chainId: onChain }: { position: Position; chainId: ChainId }) =>
    cut === null || position <= (cutOf(cut, onChain)?.position ?? -1)
  const places = told.filter(isCounted)
  const chosen = chainId ?? Math.min(...places.map((place) => place.chainId))
  const place = places.find((each) => each.chainId === chosen)
  if (place === undefined) return null
  const ofChain = <Row extends readonly [number, number, ...unknown[]]>(rows: readonly Row[]) =>
    rows.filter(([, onChain]) => onChain === chosen)
  const made = ofChain(schemas).map(([, ...row]) => storedSchemaOfRow(dialect, row))
  return {
    chainId: chosen,
    blockNumber: positionBlock(place.position),
    schemas: cut === null ? made : await schemasAsOf(session, cut, made),
    attestations: await storedAttestations(
      session,
      ofChain(attestations).map(([, ...row]) => row),
      rowFields,
    ),
    revocations: ofChain(revocations).map(([, onChain, localId, protocol]): RecordKey => {
      return { chainId: onChain, protocol, localId: `0x${localId}` as LocalId }
    }),
  }
}
