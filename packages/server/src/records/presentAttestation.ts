import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import {
  attestationDetailMembers,
  attestationMembers,
  detailOf,
  recipientsOf,
  parseFields,
} from '@attestry/core/model/recordJson.ts'
import type { SchemaReference, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type {
  attestationOfAddress,
  attestationRow,
  detailedAttestationRow,
  foundAttestation,
  latestAttestation,
  Shown,
  singleAttestation,
} from './payloadSchemas.ts'

/** Attestations in the forms of docs/api.md, "Members": each function makes one row. */

/** A row of the listing (#7). */
export function presentRow(attestation: StoredAttestation): Shown<typeof attestationRow> {
  return attestationMembers(attestation)
}

/** A row of the latest attestations (#4). */
export function presentLatestAttestation(attestation: StoredAttestation): Shown<typeof latestAttestation> {
  return { ...attestationMembers(attestation), schema: schemaIdentity(schemaOf(attestation)) }
}

/** A row of the listing with `fields=detail` (#8). */
export function presentDetailedRow(attestation: StoredAttestation): Shown<typeof detailedAttestationRow> {
  const { key, name } = schemaOf(attestation)
  const chainId = String(key.chainId)
  return {
    ...attestationMembers(attestation),
    schema: { id: formatCompositeId(key), chainType: 'evm', chainId, schemaId: key.localId, name },
  }
}

/** A single attestation (#9). */
export function presentAttestation(attestation: StoredAttestation): Shown<typeof singleAttestation> {
  const schema = schemaOf(attestation)
  return {
    ...wholeMembers(attestation),
    schema: { ...schemaIdentity(schema), data: parseFields(schema.fieldsJson) },
  }
}

function wholeMembers(attestation: StoredAttestation) {
  return {
    ...attestationMembers(attestation),
    ...attestationDetailMembers(attestation, detailOf(attestation.detail)),
    ...portalMembers(attestation),
    ...revocationMembers(attestation),
  }
}

/** A row of an export: every member of the record. */
export function presentWholeAttestation(attestation: StoredAttestation) {
  const { syncAt, lastSyncAt } = attestation
  const schema = schemaOf(attestation)
  return {
    ...wholeMembers(attestation),
    extra: '{}',
    syncAt: String(syncAt),
    lastSyncAt: lastSyncAt === null ? null : String(lastSyncAt),
    schema: { ...schemaIdentity(schema), description: schema.description },
  } as const
}

/**
 * A row of the attestations of an address (#12), with what clients of the original service decide by: whether the
 * address made or received it, and who sent the transaction.
 */
export function presentAttestationOfAddress(
  attestation: StoredAttestation,
  address: Address,
): Shown<typeof attestationOfAddress> {
  const isAddress = (text: string) => parseAddress(text) === address
  const row = presentWholeAttestation(attestation)
  return {
    ...row,
    from: formatSender(attestation.transactionSender),
    isSender: isAddress(attestation.attester),
    isReceiver: row.recipients.some(isAddress),
  }
}

/** A row of the search's attestation group (#1). */
export function presentFoundAttestation(attestation: StoredAttestation): Shown<typeof foundAttestation> {
  const { key, attester } = attestation
  return {
    id: formatCompositeId(key),
    chainType: 'evm',
    chainId: String(key.chainId),
    attestationId: key.localId,
    attester,
    recipients: recipientsOf(attestation),
  }
}

/** The sender of a transaction; empty if the chain is not configured to fetch it. */
export function formatSender(sender: Address | null): string {
  return sender === null ? '' : checksumAddress(sender)
}

/** None where the protocol has no portals. */
function portalMembers(attestation: StoredAttestation) {
  if (attestation.portal === null) return {}
  const { name, owner, ownerName } = portalOf(attestation)
  return {
    portal: checksumAddress(attestation.portal),
    portalName: name,
    portalOwner: owner && checksumAddress(owner),
    portalOwnerName: ownerName,
  }
}

/** The portal of an attestation, as far as it is known. */
export function portalOf({ portalBody }: Pick<StoredAttestation, 'portalBody'>): PortalFacts {
  // Protocols make the body.
  return portalBody === null ? unknownPortal : (JSON.parse(portalBody) as PortalFacts)
}

/** The texts are empty and all else is null if they are not known. */
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

/** Without a revocation `revokeTransactionHash` is empty, the others are null or false. */
function revocationMembers({ revocation }: StoredAttestation) {
  return {
    revoked: revocation !== null,
    revokeTimestamp: revocation?.timestamp ?? null,
    revokeReason: revocation?.reason ?? null,
    revokeTransactionHash: revocation?.transactionHash ?? '',
  }
}

function schemaIdentity({ key, name }: SchemaReference) {
  return { id: formatCompositeId(key), schemaId: key.localId, name }
}

function schemaOf(attestation: StoredAttestation): SchemaReference {
  if (attestation.schema === null) {
    throw new TypeError(`attestation ${formatCompositeId(attestation.key)} was read without its schema`)
  }
  return attestation.schema
}
