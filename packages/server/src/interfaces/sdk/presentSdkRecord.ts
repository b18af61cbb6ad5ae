import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  attestationDetailMembers,
  attestationMembers,
  detailOf,
  schemaMembers,
  parseFields,
} from '@attestry/core/model/recordJson.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { DataLocation } from '@attestry/core/model/records.ts'
import type { Shown } from '../../records/payloadSchemas.ts'
import { formatSender } from '../../records/presentAttestation.ts'
import type { sdkAttestation, sdkSchema } from './sdkPayloadSchemas.ts'

/**
 * Records in the form that `IndexService` of `@ethsign/sp-sdk` reads: every member present, times as strings of
 * milliseconds, `dataLocation` in lower case, `extra` an object.
 */

export function presentSdkSchema(schema: StoredSchema): Shown<typeof sdkSchema> {
  const { revocable, maxValidFor, resolver, rawText, attestationCount, attesterCount } = schema
  return {
    ...schemaMembers(schema),
    revocable,
    maxValidFor,
    resolver: checksumAddress(resolver),
    from: formatSender(schema.transactionSender),
    registerTimestamp: toMilliseconds(String(schema.registerTimestamp)),
    data: parseFields(schema.fieldsJson),
    originalData: rawText,
    attestationCount,
    attesterCount,
    extra: {},
    syncAt: String(schema.syncAt),
  }
}

/** @param schema the schema of the attestation; null if it is not indexed itself. */
export function presentSdkAttestation(
  attestation: StoredAttestation,
  schema: StoredSchema | null,
): Shown<typeof sdkAttestation> {
  const detail = detailOf(attestation.detail)
  const { revocation, transactionSender, syncAt, lastSyncAt } = attestation
  return {
    ...attestationMembers(attestation),
    ...attestationDetailMembers(attestation, detail),
    attestTimestamp: toMilliseconds(String(attestation.attestTimestamp)),
    dataLocation: detail.dataLocation.toLowerCase() as Lowercase<DataLocation>,
    from: formatSender(transactionSender),
    revoked: revocation !== null,
    revokeTimestamp: revocation === null ? null : toMilliseconds(revocation.timestamp),
    revokeReason: revocation?.reason ?? null,
    revokeTransactionHash: revocation?.transactionHash ?? '',
    extra: {},
    syncAt: String(syncAt),
    lastSyncAt: lastSyncAt === null ? null : String(lastSyncAt),
    schema: schema === null ? presentMissingSchema(attestation) : presentSdkSchema(schema),
  }
}

/** A schema of which only the id is known: clients read its members without asking whether it exists. */
function presentMissingSchema({ schema }: StoredAttestation) {
  const key = schema?.key
  return {
    id: key === undefined ? '' : formatCompositeId(key),
    mode: 'onchain',
    name: '',
    description: '',
    registrant: zeroAddress,
    chainType: 'evm',
    chainId: String(key?.chainId ?? ''),
    schemaId: key?.localId ?? '',
    transactionHash: '',
    revocable: false,
    maxValidFor: '0',
    resolver: zeroAddress,
    from: '',
    registerTimestamp: '0',
    data: [],
    originalData: '',
    attestationCount: 0,
    attesterCount: 0,
    extra: {},
    syncAt: '0',
  } as const
}

/** Seconds as digits to milliseconds as digits, exactly also beyond 2^53. */
function toMilliseconds(seconds: string): string {
  return seconds === '0' ? seconds : `${seconds}000`
}
