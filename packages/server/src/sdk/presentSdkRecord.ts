import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  attestationDetailJson,
  attestationSummaryJson,
  detailOf,
  schemaSummaryJson,
} from '@attestry/core/model/recordJson.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { formatSender } from '../records/presentAttestation.ts'

/**
 * Records in the form that `IndexService` of `@ethsign/sp-sdk` reads: every member present, times as strings of
 * milliseconds, `dataLocation` in lower case, `extra` an object.
 */

export function presentSdkSchema(schema: StoredSchema): string {
  return (
    `{${schemaSummaryJson(schema)},"revocable":${schema.revocable},"maxValidFor":"${schema.maxValidFor}",` +
    `"resolver":"${checksumAddress(schema.resolver)}","from":"${formatSender(schema.transactionSender)}",` +
    `"registerTimestamp":"${toMilliseconds(String(schema.registerTimestamp))}","data":${schema.fieldsJson},` +
    `"originalData":${JSON.stringify(schema.rawText)},"attestationCount":${schema.attestationCount},` +
    `"attesterCount":${schema.attesterCount},"extra":{},"syncAt":"${schema.syncAt}"}`
  )
}

/** @param schema the schema of the attestation; null where it is not indexed itself. */
export function presentSdkAttestation(attestation: StoredAttestation, schema: StoredSchema | null): string {
  const detail = detailOf(attestation.detail)
  const shared = `{${attestationSummaryJson(attestation)},${attestationDetailJson(attestation, detail)}}`
  const { revocation, transactionSender, syncAt, lastSyncAt } = attestation
  const members = JSON.stringify({
    ...(JSON.parse(shared) as object),
    attestTimestamp: toMilliseconds(String(attestation.attestTimestamp)),
    dataLocation: detail.dataLocation.toLowerCase(),
    from: formatSender(transactionSender),
    revoked: revocation !== null,
    revokeTimestamp: revocation === null ? null : toMilliseconds(revocation.timestamp),
    revokeReason: revocation?.reason ?? null,
    revokeTransactionHash: revocation?.transactionHash ?? '',
    extra: {},
    syncAt: String(syncAt),
    lastSyncAt: lastSyncAt === null ? null : String(lastSyncAt),
  })
  const schemaJson = schema === null ? presentMissingSchema(attestation) : presentSdkSchema(schema)
  return `${members.slice(0, -1)},"schema":${schemaJson}}`
}

/** A schema that is known by its id alone: clients read members of it without asking whether it is there. */
function presentMissingSchema({ schema }: StoredAttestation): string {
  const key = schema?.key
  return JSON.stringify({
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
  })
}

/** Seconds as digits to milliseconds as digits, exactly also beyond 2^53. */
function toMilliseconds(seconds: string): string {
  return seconds === '0' ? seconds : `${seconds}000`
}
