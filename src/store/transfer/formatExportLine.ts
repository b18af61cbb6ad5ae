import { addressOfBytes } from '../layout/hexColumn.ts'
import type { Address } from '../../model/hex.ts'
import { positionBlock, positionLogIndex, type Position } from '../../model/position.ts'
import type { IndexedContract } from '../../model/indexedContract.ts'
import { exportFormat, exportVersion } from './sealExport.ts'

/**
 * The lines of an export, made of what a database's rows hold: the one place that gives them their form, so that every
 * store exports the same index as the same bytes. `parseExportLine.ts` reads them.
 */

/** The part of a chain whose events are read: its positions from `first` to `last`, both included. */
export interface EventRange {
  readonly chainId: number
  readonly ordinal: number
  readonly first: number
  readonly last: number
}

/** A line of an export that tells of one event, and where the event stands. */
export interface EventLine {
  readonly position: number
  readonly line: string
}

export function headerLine(
  chains: readonly (readonly [chainId: number, checkpointBlock: number | null])[],
  program: { readonly program?: string },
): string {
  const known = chains.map(([chainId, checkpointBlock]) => ({ chainId: String(chainId), checkpointBlock }))
  return JSON.stringify({ format: exportFormat, version: exportVersion, ...program, chains: known })
}

export type ChainLineRow = readonly [
  name: string,
  contractsJson: string,
  schemaCount: number,
  attestationCount: number,
  revocationCount: number,
  undecodableCount: number,
  checkpointBlock: number | null,
  checkpointTimestamp: number | null,
  rewindTo: number | null,
  checkpointHash: string | null,
]

export function chainLine(
  chainId: number,
  row: ChainLineRow,
  anchors: readonly (readonly [kind: string, count: number])[],
  times: boolean,
): string {
  const progress = {
    checkpoint: row[6] === null ? null : { blockNumber: row[6], timestamp: row[7], hash: row[9] },
    rewindTo: row[8],
  }
  return JSON.stringify({
    type: 'chain',
    chainId: String(chainId),
    name: row[0],
    // Written as such by the writer.
    contracts: JSON.parse(row[1]) as IndexedContract[],
    ...(times ? progress : {}),
    schemaCount: row[2],
    attestationCount: row[3],
    revocationCount: row[4],
    undecodableCount: row[5],
    anchorCounts: Object.fromEntries(anchors),
  })
}

export type BlockLineRow = readonly [number: number, hash: string, parentHash: string, timestamp: number]

export function blockLine(chainId: number, [number, hash, parentHash, timestamp]: BlockLineRow): string {
  return JSON.stringify({ type: 'block', chainId: String(chainId), number, hash, parentHash, timestamp })
}

export type ReferenceLineRow = readonly [
  chainId: number,
  localId: string,
  attestationCount: number,
  attesterCount: number,
]

export function referenceLine(row: ReferenceLineRow): string {
  const [chainId, localId, attestationCount, attesterCount] = row
  return JSON.stringify({
    type: 'unregisteredSchema',
    chainId: String(chainId),
    schemaId: `0x${localId}`,
    attestationCount,
    attesterCount,
  })
}

export type AddressLineRow = readonly [
  bytes: Uint8Array,
  schemaCreated: number,
  attestationCreated: number,
  attestationReceived: number,
  totalAttestations: number,
]

export function addressLine(row: AddressLineRow): string {
  const [bytes, schemaCreated, attestationCreated, attestationReceived, totalAttestations] = row
  return JSON.stringify({
    type: 'address',
    address: addressOfBytes(bytes),
    schemaCreated,
    attestationCreated,
    attestationReceived,
    totalAttestations,
  })
}

export interface SchemaLineRow {
  readonly position: number
  readonly summaryJson: string
  readonly fieldsJson: string
  readonly protocol: string
  readonly registerTimestamp: number
  readonly revocable: boolean
  readonly maxValidFor: string
  readonly resolver: string
  readonly dataLocation: string
  readonly definitionName: string
  readonly rawText: string
  readonly context: string | null
  readonly transactionSender: string | null
  readonly attestationCount: number
  readonly attesterCount: number
  readonly syncAt: number
}

export function schemaLine(row: SchemaLineRow, times: boolean): EventLine {
  const { position, summaryJson, fieldsJson, syncAt, ...rest } = row
  const others = { ...place(position), ...rest, ...(times ? { syncAt } : {}) }
  return { position, line: `{"type":"schema",${summaryJson},"data":${fieldsJson},${members(others)}}` }
}

export function nameLine(chainId: number, position: number, localId: string, name: string): EventLine {
  const line = JSON.stringify({
    type: 'schemaName',
    chainId: String(chainId),
    ...place(position),
    schemaId: `0x${localId}`,
    name,
  })
  return { position, line }
}

export interface AttestationLineRow {
  readonly position: number
  readonly summaryJson: string
  readonly detailJson: string
  readonly protocol: string
  readonly transactionSender: string | null
  readonly revokedPosition: number | null
  readonly revokeTimestamp: string | null
  readonly revokeReason: string
  readonly revokeTransaction: string | null
  readonly syncAt: number
  readonly lastSyncAt: number | null
  readonly claimed: string | null
  readonly settledBlock: number | null
  readonly revocable: boolean | null
  readonly portal: Address | null
}

export function attestationLine(row: AttestationLineRow, times: boolean): EventLine {
  const { position, revokedPosition, revokeTimestamp, claimed, settledBlock, syncAt, lastSyncAt } = row
  const revoked = revokeTimestamp !== null
  const claim = claimed === null ? null : { timestamp: claimed, settledBlock }
  const rest = {
    ...place(position),
    protocol: row.protocol,
    transactionSender: row.transactionSender,
    portal: row.portal,
    revocable: row.revocable,
    revoked,
    revokeTimestamp,
    revokeReason: revoked ? row.revokeReason : null,
    revokeTransactionHash: row.revokeTransaction ?? '',
    // null too where it was born revoked: then no event says so.
    revokedBy: revokedPosition === null ? null : place(revokedPosition),
    ...(times ? { syncAt, lastSyncAt, claim } : {}),
  }
  const line = `{"type":"attestation",${row.summaryJson},${row.detailJson},${members(rest)}}`
  return { position, line }
}

export interface RevocationLineRow {
  readonly position: number
  readonly localId: string
  readonly protocol: string
  readonly timestamp: string
  readonly reason: string
  readonly transactionHash: string
  readonly lastSyncAt: number | null
}

/**
 * What the line of its attestation tells too, once more where the event stands: so an import never has to look ahead.
 */
export function revocationLine(chainId: number, row: RevocationLineRow, times: boolean): EventLine {
  const line = JSON.stringify({
    type: 'revocation',
    chainId: String(chainId),
    ...place(row.position),
    protocol: row.protocol,
    attestationId: `0x${row.localId}`,
    revokeTimestamp: row.timestamp,
    revokeReason: row.reason,
    revokeTransactionHash: row.transactionHash,
    ...(times ? { syncAt: row.lastSyncAt } : {}),
  })
  return { position: row.position, line }
}

export interface AnchorLineRow {
  readonly position: number
  readonly protocol: string
  readonly anchor: string
  readonly account: string | null
  readonly value: string
  readonly timestamp: number
  readonly transactionHash: string
  readonly reason: string
}

export function anchorLine(chainId: number, { position, ...members }: AnchorLineRow): EventLine {
  const line = JSON.stringify({
    type: 'anchor',
    chainId: String(chainId),
    ...place(position),
    ...members,
  })
  return { position, line }
}

export interface MetadataLineRow {
  readonly position: number
  readonly protocol: string
  readonly of: string
  readonly subject: string
  readonly body: string
}

export function metadataLine(chainId: number, { position, ...members }: MetadataLineRow): EventLine {
  const line = JSON.stringify({ type: 'metadata', chainId: String(chainId), ...place(position), ...members })
  return { position, line }
}

/** @param bodyJson members of a JSON object. */
export function undecodableLine(chainId: number, position: number, bodyJson: string): EventLine {
  const line = `{"type":"undecodable","chainId":"${chainId}",${members(place(position))},${bodyJson}}`
  return { position, line }
}

function place(position: number): { readonly blockNumber: number; readonly logIndex: number } {
  return {
    blockNumber: positionBlock(position as Position),
    logIndex: positionLogIndex(position as Position),
  }
}

function members(object: Record<string, unknown>): string {
  return JSON.stringify(object).slice(1, -1)
}
