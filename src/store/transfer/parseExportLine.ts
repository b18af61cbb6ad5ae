import { parseAddress } from '../../model/hex.ts'
import type { BlockRef } from '../../model/chainState.ts'
import type { ChainId } from '../../model/compositeId.ts'
import { metadataKinds, type DomainEvent, type MetadataKind } from '../../model/domainEvent.ts'
import { unixMilliseconds, unixSeconds, type UnixMilliseconds } from '../../model/time.ts'
import { ExportDamagedError } from '../../errors/storeErrors.ts'
import type { ChainProgress, StoredEvent } from '../indexRestore.ts'
import type { ChainIdentity } from '../indexWriter.ts'
import { readLine, type LineFields } from './lineFields.ts'
import { parseAttestation, parsePosition, parseSchema } from './parseRecord.ts'

/** What a line of an export says, between its header and its end. */
export type ExportLine =
  | {
      readonly kind: 'chain'
      readonly identity: ChainIdentity
      readonly progress: Omit<ChainProgress, 'recentBlocks'>
    }
  | { readonly kind: 'block'; readonly chainId: ChainId; readonly block: BlockRef }
  | {
      readonly kind: 'event'
      readonly chainId: ChainId
      readonly stored: StoredEvent
      /** The characters of the line. */
      readonly length: number
    }
  /** Counts, which follow from the events. */
  | { readonly kind: 'derived' }

/** @throws ExportDamagedError naming the line and the member that cannot be read. */
export function parseExportLine(text: string, lineNumber: number): ExportLine {
  const line = readLine(text, lineNumber)
  const type = line.text('type')
  switch (type) {
    case 'chain':
      return parseChain(line)
    case 'block':
      return { kind: 'block', chainId: line.chainId('chainId'), block: parseBlock(line) }
    case 'schema':
    case 'attestation':
    case 'revocation':
    case 'schemaName':
    case 'anchor':
    case 'metadata':
    case 'undecodable':
      return {
        kind: 'event',
        chainId: line.chainId('chainId'),
        stored: parseEvent(line, type),
        length: text.length,
      }
    case 'unregisteredSchema':
    case 'address':
      return { kind: 'derived' }
    default:
      throw new ExportDamagedError(`line ${lineNumber} of the export is of no known type`)
  }
}

/** The type of a line that tells of an event. */
type EventLineType =
  | 'schema'
  | 'attestation'
  | 'revocation'
  | 'schemaName'
  | 'anchor'
  | 'metadata'
  | 'undecodable'

function parseEvent(line: LineFields, type: EventLineType): StoredEvent {
  const storedAt = line.has('syncAt') ? parseTime(line, 'syncAt') : null
  return {
    event: parseDomainEvent(line, type),
    storedAt,
    settled: parseSettled(line),
    revocation: type === 'attestation' ? parseOwnRevocation(line) : null,
  }
}

function parseOwnRevocation(line: LineFields): StoredEvent['revocation'] {
  if (!line.flag('revoked')) return null
  const revokedBy = line.objectOrNull('revokedBy')
  const position = revokedBy === null ? null : parsePosition(revokedBy)
  return { timestamp: line.digits('revokeTimestamp'), position }
}

function parseDomainEvent(line: LineFields, type: EventLineType): DomainEvent {
  const position = parsePosition(line)
  switch (type) {
    case 'schema':
      return { kind: 'schemaRegistered', position, schema: parseSchema(line) }
    case 'attestation':
      return { kind: 'attestationMade', position, attestation: parseAttestation(line) }
    case 'revocation':
      return parseRevocation(line)
    case 'schemaName':
      return {
        kind: 'schemaNamed',
        position,
        schemaLocalId: line.localId('schemaId'),
        name: line.text('name'),
      }
    case 'metadata':
      return {
        kind: 'metadataSet',
        position,
        protocol: line.text('protocol'),
        of: parseMetadataKind(line),
        subject: parseAddress(line.text('subject')) ?? line.localId('subject'),
        body: line.text('body'),
      }
    case 'anchor':
      return {
        kind: 'anchorMade',
        position,
        protocol: line.text('protocol'),
        anchor: line.text('anchor'),
        account: line.addressOrNull('account'),
        value: line.text('value'),
        timestamp: unixSeconds(line.whole('timestamp')),
        transactionHash: line.hash('transactionHash'),
        reason: line.text('reason'),
      }
    case 'undecodable':
      // A revocation that contradicts the index is kept among what cannot be read.
      return line.has('revokeTimestamp') ? parseRevocation(line) : parseUndecodable(line)
  }
}

function parseRevocation(line: LineFields): DomainEvent {
  return {
    kind: 'attestationRevoked',
    position: parsePosition(line),
    protocol: line.text('protocol'),
    localId: line.localId('attestationId'),
    reason: line.text('revokeReason'),
    timestamp: unixSeconds(Number(line.digits('revokeTimestamp'))),
    transactionHash: line.hash(
      line.has('revokeTransactionHash') ? 'revokeTransactionHash' : 'transactionHash',
    ),
  }
}

function parseUndecodable(line: LineFields): DomainEvent {
  return {
    kind: 'undecodableLog',
    position: parsePosition(line),
    protocol: line.text('protocol'),
    contract: line.address('contract'),
    topics: line.hexes('topics'),
    data: line.hex('data'),
    transactionHash: line.hash('transactionHash'),
    reason: line.text('reason'),
  }
}

function parseSettled(line: LineFields): StoredEvent['settled'] {
  const claim = line.has('claim') ? line.objectOrNull('claim') : null
  const block = claim?.wholeOrNull('settledBlock') ?? null
  return block === null ? null : { block, storedAt: parseTime(line, 'lastSyncAt') }
}

function parseChain(line: LineFields): ExportLine {
  const checkpoint = line.objectOrNull('checkpoint')
  return {
    kind: 'chain',
    identity: {
      chainId: line.chainId('chainId'),
      name: line.text('name'),
      contracts: line.objects('contracts').map((contract) => ({
        protocol: contract.text('protocol'),
        address: contract.address('address'),
        schemaRegistry: contract.addressOrNull('schemaRegistry'),
        ...(contract.has('portalRegistry') ? { portalRegistry: contract.address('portalRegistry') } : {}),
        startBlock: contract.whole('startBlock'),
      })),
    },
    progress: {
      checkpoint:
        checkpoint === null
          ? null
          : { blockNumber: checkpoint.whole('blockNumber'), timestamp: checkpoint.wholeOrNull('timestamp') },
      rewindTo: line.integerOrNull('rewindTo'),
    },
  }
}

function parseBlock(line: LineFields): BlockRef {
  return {
    number: line.whole('number'),
    hash: line.hash('hash'),
    parentHash: line.hash('parentHash'),
    timestamp: unixSeconds(line.whole('timestamp')),
  }
}

function parseTime(line: LineFields, name: string): UnixMilliseconds {
  return unixMilliseconds(line.whole(name))
}

function parseMetadataKind(line: LineFields): MetadataKind {
  const text = line.text('of')
  const found = metadataKinds.find((kind) => kind === text)
  if (found !== undefined) return found
  throw new ExportDamagedError(`the export has metadata of "${text.slice(0, 40)}", which nothing has`)
}
