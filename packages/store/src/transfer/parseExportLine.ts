import { parseAddress } from '@attestry/core/model/hex.ts'
import type { RememberedBlock } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { metadataKinds, type DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { furtherRegistries } from '@attestry/core/model/indexedContract.ts'
import type { Position } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds, type UnixMilliseconds } from '@attestry/core/model/time.ts'
import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainProgress, StoredEvent } from '@attestry/core/index/indexRestore.ts'
import type { ChainIdentity } from '@attestry/core/index/indexWriter.ts'
import { readLine, type LineFields } from './lineFields.ts'
import { parseAttestation, parsePosition, parseSchema } from './parseRecord.ts'

/** The content of a line of an export, between its header and its end. */
export type ExportLine =
  | {
      readonly kind: 'chain'
      readonly identity: ChainIdentity
      readonly progress: Omit<ChainProgress, 'recentBlocks'>
    }
  | { readonly kind: 'block'; readonly chainId: ChainId; readonly block: RememberedBlock }
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
    case 'unregisteredSchema':
    case 'address':
      return { kind: 'derived' }
  }
  const parseEvent = eventParsers.get(type)
  if (parseEvent === undefined) {
    throw new ExportDamagedError(`line ${lineNumber} of the export is of no known type`)
  }
  const stored = {
    event: parseEvent(line, parsePosition(line)),
    storedAt: line.has('syncAt') ? parseTime(line, 'syncAt') : null,
    settled: parseSettled(line),
    revocation: type === 'attestation' ? parseOwnRevocation(line) : null,
  }
  return { kind: 'event', chainId: line.chainId('chainId'), stored, length: text.length }
}

function parseOwnRevocation(line: LineFields): StoredEvent['revocation'] {
  if (!line.flag('revoked')) return null
  const revokedBy = line.objectOrNull('revokedBy')
  const position = revokedBy === null ? null : parsePosition(revokedBy)
  return { timestamp: line.digits('revokeTimestamp'), position }
}

type ParseEvent = (line: LineFields, position: Position) => DomainEvent

const parseRevocation: ParseEvent = (line, position) => ({
  kind: 'attestationRevoked',
  position,
  protocol: line.text('protocol'),
  localId: line.localId('attestationId'),
  reason: line.text('revokeReason'),
  timestamp: unixSeconds(Number(line.digits('revokeTimestamp'))),
  transactionHash: line.hash(line.has('revokeTransactionHash') ? 'revokeTransactionHash' : 'transactionHash'),
})

/** By the type of a line. */
const eventParsers: ReadonlyMap<string, ParseEvent> = new Map<string, ParseEvent>([
  ['schema', (line, position) => ({ kind: 'schemaRegistered', position, schema: parseSchema(line) })],
  [
    'attestation',
    (line, position) => ({ kind: 'attestationMade', position, attestation: parseAttestation(line) }),
  ],
  ['revocation', parseRevocation],
  [
    'schemaName',
    (line, position) => ({
      kind: 'schemaNamed',
      position,
      schemaLocalId: line.localId('schemaId'),
      name: line.text('name'),
    }),
  ],
  [
    'metadata',
    (line, position) => ({
      kind: 'metadataSet',
      position,
      protocol: line.text('protocol'),
      of: line.oneOf('of', metadataKinds),
      subject: parseAddress(line.text('subject')) ?? line.localId('subject'),
      body: line.text('body'),
    }),
  ],
  [
    'anchor',
    (line, position) => ({
      kind: 'anchorMade',
      position,
      protocol: line.text('protocol'),
      anchor: line.text('anchor'),
      account: line.addressOrNull('account'),
      value: line.text('value'),
      timestamp: unixSeconds(line.whole('timestamp')),
      transactionHash: line.hash('transactionHash'),
      reason: line.text('reason'),
    }),
  ],
  [
    'undecodable',
    (line, position) => {
      // A revocation that contradicts the index is kept among what cannot be read.
      if (line.has('revokeTimestamp')) return parseRevocation(line, position)
      return {
        kind: 'undecodableLog',
        position,
        protocol: line.text('protocol'),
        contract: line.address('contract'),
        topics: line.hexes('topics'),
        data: line.hex('data'),
        transactionHash: line.hash('transactionHash'),
        reason: line.text('reason'),
      }
    },
  ],
])

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
        ...Object.fromEntries(
          furtherRegistries
            .filter((name) => contract.has(name))
            .map((name) => [name, contract.address(name)]),
        ),
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

function parseBlock(line: LineFields): RememberedBlock {
  return {
    number: line.whole('number'),
    hash: line.hash('hash'),
    parentHash: line.hash('parentHash'),
    timestamp: unixSeconds(line.whole('timestamp')),
    ...(line.has('logsSeal') ? { logsSeal: line.text('logsSeal') } : {}),
  }
}

function parseTime(line: LineFields, name: string): UnixMilliseconds {
  return unixMilliseconds(line.whole(name))
}
