import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import {
  attestationDetailJson,
  attestationSummaryJson,
  detailOf,
  recipientsOf,
} from '@attestry/core/model/recordJson.ts'
import type { SchemaReference, StoredAttestation } from '@attestry/core/index/storedRecords.ts'

/** Attestations in the forms of docs/api.md, "Members": each function makes the JSON text of one row. */

/** A row of the listing (#7). */
export function presentRow(attestation: StoredAttestation): string {
  return `{${attestationSummaryJson(attestation)}}`
}

/** The JSON text of an object, with further members at its end. */
export function withMembers(objectJson: string, members: string): string {
  return `${objectJson.slice(0, -1)},${members}}`
}

/** A row of the latest attestations (#4). */
export function presentLatestAttestation(attestation: StoredAttestation): string {
  const schema = schemaOf(attestation)
  return `{${attestationSummaryJson(attestation)},"schema":{${schemaIdentity(schema)}}}`
}

/** A row of the listing with `fields=detail` (#8). */
export function presentDetailedRow(attestation: StoredAttestation): string {
  const schema = schemaOf(attestation)
  return (
    `{${attestationSummaryJson(attestation)},"schema":{"id":"${formatCompositeId(schema.key)}","chainType":"evm",` +
    `"chainId":"${schema.key.chainId}","schemaId":"${schema.key.localId}","name":${JSON.stringify(schema.name)}}}`
  )
}

/** A single attestation (#9). */
export function presentAttestation(attestation: StoredAttestation): string {
  const schema = schemaOf(attestation)
  return (
    `{${attestationSummaryJson(attestation)},${attestationDetailJson(attestation, detailOf(attestation.detail))},${portalMember(attestation)}${revocationMembers(attestation)},` +
    `"schema":{${schemaIdentity(schema)},"data":${schema.fieldsJson}}}`
  )
}

/** A row of an export: every member of the record. */
export function presentWholeAttestation(attestation: StoredAttestation): string {
  const schema = schemaOf(attestation)
  const lastSyncAt = attestation.lastSyncAt === null ? 'null' : `"${attestation.lastSyncAt}"`
  return (
    `{${attestationSummaryJson(attestation)},${attestationDetailJson(attestation, detailOf(attestation.detail))},${portalMember(attestation)}${revocationMembers(attestation)},` +
    `"extra":"{}","syncAt":"${attestation.syncAt}","lastSyncAt":${lastSyncAt},` +
    `"schema":{${schemaIdentity(schema)},"description":${JSON.stringify(schema.description)}}}`
  )
}

/**
 * A row of the attestations of an address (#12), with what clients of the original service decide by: whether the
 * address made or received it, and who sent the transaction.
 */
export function presentAttestationOfAddress(attestation: StoredAttestation, address: Address): string {
  const isAddress = (text: string) => parseAddress(text) === address
  return withMembers(
    presentWholeAttestation(attestation),
    `"from":"${formatSender(attestation.transactionSender)}","isSender":${isAddress(attestation.attester)},` +
      `"isReceiver":${recipientsOf(attestation).some(isAddress)}`,
  )
}

/** A row of the search's attestation group (#1): six members of the summary. */
export function presentFoundAttestation(attestation: StoredAttestation): string {
  const { key, attester, recipientsJson } = attestation
  return (
    `{"id":"${formatCompositeId(key)}","chainType":"evm","chainId":"${key.chainId}",` +
    `"attestationId":"${key.localId}","attester":"${attester}","recipients":${recipientsJson}}`
  )
}

/** The sender of a transaction; empty where the chain is not configured to fetch it. */
export function formatSender(sender: Address | null): string {
  return sender === null ? '' : checksumAddress(sender)
}

/** Empty where the protocol has no portals. */
function portalMember(attestation: StoredAttestation): string {
  if (attestation.portal === null) return ''
  const { name, owner, ownerName } = portalOf(attestation)
  return (
    `"portal":"${checksumAddress(attestation.portal)}","portalName":${JSON.stringify(name)},` +
    `"portalOwner":${JSON.stringify(owner && checksumAddress(owner))},"portalOwnerName":${JSON.stringify(ownerName)},`
  )
}

/** What is known of the portal of an attestation. */
export function portalOf({ portalBody }: Pick<StoredAttestation, 'portalBody'>): PortalFacts {
  // Protocols make the body.
  return portalBody === null ? unknownPortal : (JSON.parse(portalBody) as PortalFacts)
}

/** The texts are empty and all else is null where they are not known. */
interface PortalFacts {
  readonly name: string
  readonly description: string
  readonly owner: Address | null
  readonly ownerName: string
  /** Whether attestations made through it can be revoked. */
  readonly isRevocable: boolean | null
  readonly modules: readonly Address[] | null
}

const unknownPortal: PortalFacts = {
  name: '',
  description: '',
  owner: null,
  ownerName: '',
  isRevocable: null,
  modules: null,
}

/**
 * The four members of a revocation. Without a revocation `revokeTransactionHash` is empty, the others are null or
 * false.
 */
function revocationMembers({ revocation }: StoredAttestation): string {
  if (revocation === null) {
    return '"revoked":false,"revokeTimestamp":null,"revokeReason":null,"revokeTransactionHash":""'
  }
  return (
    `"revoked":true,"revokeTimestamp":"${revocation.timestamp}",` +
    `"revokeReason":${JSON.stringify(revocation.reason)},"revokeTransactionHash":"${revocation.transactionHash}"`
  )
}

function schemaIdentity(schema: SchemaReference): string {
  return (
    `"id":"${formatCompositeId(schema.key)}","schemaId":"${schema.key.localId}",` +
    `"name":${JSON.stringify(schema.name)}`
  )
}

function schemaOf(attestation: StoredAttestation): SchemaReference {
  if (attestation.schema === null) {
    throw new TypeError(`attestation ${formatCompositeId(attestation.key)} was read without its schema`)
  }
  return attestation.schema
}
