import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { valueMatchKey } from '@attestry/core/model/keyword.ts'
import { namesOfRecipient } from '@attestry/core/index/indexQueries.ts'
import type { BesideValue } from '@attestry/store/beside/besideDatabase.ts'
import type { OffchainFilter } from './offchainStore.ts'

/** Texts of any length and content are compared by a hash of the form in which values match. */
export function hashKeyOf(value: string): string {
  return bytesToHex(sha256(utf8ToBytes(valueMatchKey(value))))
}

/** The entries that pass a filter: the statement from `FROM` on, and its parameters. The table is `e`. */
export function selectEntries(
  filter: OffchainFilter,
  prefix: string,
): { readonly from: string; readonly parameters: readonly BesideValue[] } {
  const conditions = ['e.deleted_at IS NULL', 'e.kind = ?']
  const parameters: BesideValue[] = [filter.kind]
  const add = (condition: string, ...values: readonly BesideValue[]) => {
    conditions.push(condition)
    parameters.push(...values)
  }
  const among = (column: string, values: readonly BesideValue[]) =>
    add(values.length === 0 ? '1 = 0' : `${column} IN (${values.map(() => '?').join(', ')})`, ...values)
  const { expired, revoked } = filter
  if (filter.protocol !== null) add('e.protocol = ?', filter.protocol)
  if (filter.chainId !== null) add('e.chain_id = ?', filter.chainId)
  if (filter.signer !== null) add('e.signer = ?', filter.signer)
  if (filter.schemaId !== null) add('e.schema_id = ?', filter.schemaId)
  if (filter.indexingValue !== null) add('e.indexing_key = ?', hashKeyOf(filter.indexingValue))
  if (filter.linked !== null) among('e.linked_key', filter.linked.map(hashKeyOf))
  if (filter.localIds !== null) among('e.local_id', filter.localIds.map(uidOf))
  if (filter.madeFrom !== null) add('e.made_at >= ?', filter.madeFrom)
  if (filter.madeBefore !== null) add('e.made_at < ?', filter.madeBefore)
  if (expired !== null) add(`e.expires_at ${expired.is ? '<=' : '>'} ?`, expired.at)
  if (revoked !== null) {
    const { is, onChain } = revoked
    const among = onChain.length === 0 ? '' : ` OR e.sequence IN (${onChain.map(() => '?').join(', ')})`
    add(`${is ? '' : 'NOT '}(e.revocation_json IS NOT NULL${among})`, ...onChain)
  }
  if (filter.recipient !== null) {
    const keys = namesOfRecipient(filter.recipient).map(hashKeyOf)
    const isNamed = `r.recipient_key IN (${keys.map(() => '?').join(', ')})`
    add(`e.sequence IN (SELECT r.sequence FROM ${prefix}recipient r WHERE ${isNamed})`, ...keys)
  }
  return { from: `FROM ${prefix}entry e WHERE ${conditions.join(' AND ')}`, parameters }
}

/** The uid of the id of an attestation of EAS; any other id is the local one. */
function uidOf(id: string): string {
  return id.startsWith('offchain_') ? id.slice(id.lastIndexOf('_') + 1) : id
}
