import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type {
  Attestation,
  DataLocation,
  EventOrigin,
  Recipient,
  RevocationAtRead,
  Schema,
  SchemaField,
} from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import type { LineFields } from './lineFields.ts'

/** The schema of a line of an export: the inverse of `schemaMembers` and of what the line has beside it. */
export function parseSchema(line: LineFields): Schema {
  return {
    ...parseOrigin(line),
    key: { chainId: line.chainId('chainId'), localId: line.localId('schemaId') },
    protocol: line.text('protocol'),
    registrant: line.address('registrant'),
    registerTimestamp: unixSeconds(line.whole('registerTimestamp')),
    revocable: line.flag('revocable'),
    maxValidFor: line.digits('maxValidFor'),
    resolver: line.address('resolver'),
    dataLocation: line.oneOf('dataLocation', dataLocations),
    definition: {
      name: line.text('definitionName'),
      description: line.text('description'),
      fields: parseFields(line, 'data'),
      ...(line.has('payloadData') && { payloadFields: parseFields(line, 'payloadData') }),
    },
    rawText: line.text('rawText'),
    context: line.textOrNull('context'),
  }
}

function parseFields(line: LineFields, member: string): SchemaField[] {
  return line.objects(member).map((field) => ({ name: field.text('name'), type: field.text('type') }))
}

/** The attestation of a line of an export: the inverse of `attestationMembers` and `attestationDetailMembers`. */
export function parseAttestation(line: LineFields): Attestation {
  return {
    ...parseOrigin(line),
    key: { chainId: line.chainId('chainId'), localId: line.localId('attestationId') },
    protocol: line.text('protocol'),
    schemaLocalId: line.localId('schemaId'),
    attester: line.address('attester'),
    attestTimestamp: unixSeconds(Number(line.digits('attestTimestamp'))),
    recipients: line.texts('recipients').map(parseRecipient),
    indexingValue: line.text('indexingValue'),
    linkedAttestation: parseLinked(line),
    validUntil: line.digits('validUntil'),
    revocable: line.flagOrNull('revocable'),
    portal: line.addressOrNull('portal'),
    contractVersion: line.wholeOrNull('contractVersion'),
    subject: line.textOrNull('subject') === null ? null : line.hex('subject'),
    data: line.hex('data'),
    dataLocation: line.oneOf('dataLocation', dataLocations),
    revocationAtRead: parseRevocationAtRead(line),
  }
}

/**
 * An address is written with its checksum, which no other text that is an address is: protocols make addresses of
 * those. Raw bytes and text that looks like them are kept alike, so it does not matter which of the two it was.
 */
export function parseRecipient(text: string): Recipient {
  const address = parseAddress(text)
  if (address !== null && checksumAddress(address) === text) return { kind: 'address', address }
  const bytes = parseHex(text)
  return bytes !== null && bytes === text ? { kind: 'bytes', bytes } : { kind: 'text', text }
}

/**
 * 1. A line with a claim was claimed to be revoked, whatever came of the claim.
 * 2. A revoked record with neither a claim nor an event was certainly born so.
 * 3. Any other record was not revoked when it was read.
 */
function parseRevocationAtRead(line: LineFields): RevocationAtRead {
  const claim = line.has('claim') ? line.objectOrNull('claim') : null
  if (claim !== null) return { kind: 'claimed', timestamp: claim.digits('timestamp') }
  if (!line.flag('revoked') || line.objectOrNull('revokedBy') !== null) return { kind: 'none' }
  return { kind: 'made', timestamp: line.digits('revokeTimestamp') }
}

function parseOrigin(line: LineFields): EventOrigin {
  return {
    position: parsePosition(line),
    transactionHash: line.hash('transactionHash'),
    transactionSender: line.addressOrNull('transactionSender'),
  }
}

/** The position of the event of a line. */
export function parsePosition(line: LineFields): EventOrigin['position'] {
  const blockNumber = line.whole('blockNumber')
  const eventIndex = line.whole('eventIndex')
  try {
    return eventPosition(blockNumber, eventIndex)
  } catch (error) {
    throw new ExportDamagedError(
      `the export has an event at ${blockNumber}:${eventIndex}, where none can be`,
      {
        cause: error,
      },
    )
  }
}

function parseLinked(line: LineFields): LocalId | null {
  const text = line.text('linkedAttestation')
  if (text === '') return null
  const parsed = parseCompositeId(text)
  if (parsed.kind === 'record') return parsed.key.localId
  throw new ExportDamagedError(`the export has a linked attestation that is no id: ${text.slice(0, 120)}`)
}

const dataLocations = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'] as const satisfies readonly DataLocation[]
