import { hash } from 'node:crypto'
import { readRegistration } from '@attestry/core/model/agentRegistration.ts'
import { walletKey, type AgentChange, type AgentKey } from '@attestry/core/model/agents.ts'
import { foldText } from '@attestry/core/model/foldText.ts'
import { zeroAddress, type Address, type Hex } from '@attestry/core/model/hex.ts'
import { hexBytes } from '@attestry/store/layout/hexColumn.ts'
import type { agentTable, metadataTable } from './agentTables.ts'
import type { RowOf } from '@attestry/store/layout/tables.ts'

/** The row of an agent while its events are applied. */
export type AgentRow = {
  -readonly [Column in keyof RowOf<typeof agentTable>]: RowOf<typeof agentTable>[Column]
}

/** Most characters of a URI in the row of an agent. */
export const uriLengthMax = 2_048

/** An agent of which nothing is known yet. */
export function emptyAgent({ chainId, subject }: AgentKey): AgentRow {
  return {
    chain_id: chainId,
    subject: subject.slice(2),
    ...unregistered,
    version_count: 0,
    feedback_count: 0,
    revoked_count: 0,
    reviewer_count: 0,
    response_count: 0,
    feedback_timestamp: 0,
  }
}

/** The columns that the metadata of an agent fills, before its first event. */
export const unregistered = {
  id: null,
  registered_timestamp: null,
  registered_transaction: null,
  updated_timestamp: null,
  owner: null,
  wallet: null,
  activity: 0,
  uri: null,
  uri_id: null,
  uri_timestamp: null,
  uri_transaction: null,
  has_file: false,
  profile_json: null,
  folded: null,
} as const

/**
 * Applies what an event says of an agent to its row; `id` is the row id of the event. The order of events alone decides:
 * a transfer clears the wallet, whatever the contract emits beside it.
 */
export function changeAgent(row: AgentRow, change: AgentChange, id: bigint): void {
  const { timestamp } = change
  row.version_count += 1
  row.updated_timestamp = timestamp
  if (row.id === null) {
    row.id = id
    row.registered_timestamp = timestamp
    row.registered_transaction = change.transactionHash
    setUri(row, '', change, id)
  }
  switch (change.change) {
    case 'registered':
      row.owner = hexBytes(change.owner)
      row.wallet = row.owner
      return setUri(row, change.uri, change, id)
    case 'transferred':
      row.owner = hexBytes(change.to)
      row.wallet = null
      return
    case 'uriUpdated':
      return setUri(row, change.uri, change, id)
    case 'metadataSet':
      if (change.key === walletKey) row.wallet = walletOf(change.value)
  }
}

/** Notes the new value of a metadata key; a transfer empties the key of the wallet. */
export function setMetadata(
  metadata: Map<string, RowOf<typeof metadataTable>>,
  { chain_id, subject }: AgentRow,
  change: AgentChange,
  id: bigint,
): void {
  const isTransfer = change.change === 'transferred'
  if (!isTransfer && change.change !== 'metadataSet') return
  const name = isTransfer ? walletKey : change.key
  const value = isTransfer ? new Uint8Array() : hexBytes(change.value)
  const keyHash = metadataKeyHash(name)
  metadata.set(`${subject} ${keyHash.toString('hex')}`, {
    chain_id,
    subject,
    key_hash: keyHash,
    id,
    updated_timestamp: change.timestamp,
    name,
    value,
  })
}

/** The name of a metadata key, which may be any text, in a key of the database. */
export function metadataKeyHash(name: string): Buffer {
  return hash('sha256', Buffer.from(name, 'utf16le'), 'buffer')
}

/** The wallet in the value of its key: 20 bytes of an address, or a word that holds them. Null for any other value. */
function walletOf(value: Hex): Uint8Array | null {
  const digits =
    value.length === 66 && value.startsWith(`0x${'0'.repeat(24)}`) ? value.slice(26) : value.slice(2)
  const address = `0x${digits}` as Address
  return digits.length === 40 && address !== zeroAddress ? hexBytes(address) : null
}

function setUri(row: AgentRow, uri: string, { timestamp, transactionHash }: AgentChange, id: bigint): void {
  const { profile } = readRegistration(uri)
  row.uri = uri.slice(0, uriLengthMax)
  row.uri_id = id
  row.uri_timestamp = timestamp
  row.uri_transaction = transactionHash
  row.has_file = profile.uriState === 'read'
  row.activity = profile.active === null ? 0 : profile.active ? 1 : 2
  row.profile_json = JSON.stringify(profile)
  // Text that every database holds as it is, so that searches find all of it. No keyword holds a NUL.
  const text = foldText(`${profile.name}\n${profile.description}`).toWellFormed().replaceAll('\0', ' ')
  row.folded = text.trim() === '' ? null : text
}
