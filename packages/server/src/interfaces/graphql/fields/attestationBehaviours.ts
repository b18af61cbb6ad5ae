import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { detailOf, type AttestationDetail } from '@attestry/core/model/recordJson.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { StoredAttestation, StoredKey, StoredRevocation } from '@attestry/core/index/storedRecords.ts'
import type { OffchainAttestation } from '../../../records/offchainRecords.ts'
import { portalOf } from '../../../records/presentAttestation.ts'
import { connectionSize } from '../input/readConnection.ts'
import { asksForWholeSchema } from './attestationFieldsFor.ts'
import { connectAttestations } from './connection.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'
import type { SchemaNode } from './schemaNode.ts'

export const attestationBehaviours = {
  Attestation: {
    id: { writeJson: ({ key, offchain }) => `"${offchain?.id ?? formatCompositeId(key)}"` },
    signers: {
      writeJson: ({ signers = [] }) =>
        signers.length > 1 ? JSON.stringify(signers.map(checksumAddress)) : 'null',
    },
    mode: { writeJson: ({ offchain }) => (offchain === undefined ? '"onchain"' : '"offchain"') },
    chainType: { writeJson: () => '"evm"' },
    chainId: { writeJson: ({ key }) => `"${key.chainId}"` },
    attestationId: { writeJson: ({ key }) => `"${key.localId}"` },
    schemaId: { writeJson: ({ schemaId }) => `"${schemaId}"` },
    fullSchemaId: { writeJson: (attestation) => `"${formatCompositeId(schemaKeyOf(attestation))}"` },
    attester: { writeJson: ({ attester }) => `"${attester}"` },
    attestTimestamp: { writeJson: ({ attestTimestamp }) => String(attestTimestamp) },
    recipients: { writeJson: ({ recipientsJson }) => recipientsJson },
    transactionHash: detail(({ transactionHash }) => `"${transactionHash}"`),
    indexingValue: detail(({ indexingValueJson }) => indexingValueJson),
    linkedAttestation: {
      writeJson: ({ key: { chainId }, detail }) => {
        const { linkedAttestation: localId } = detailOf(detail)
        return localId === null ? '""' : `"${formatCompositeId({ chainId, localId })}"`
      },
    },
    validUntil: detail(({ validUntil }) => writeUint64(validUntil)),
    data: detail(({ data }) => `"${data}"`),
    dataLocation: {
      writeJson: ({ detail: own, offchain }) =>
        offchain === undefined ? `"${detailOf(own).dataLocation}"` : '"OFFCHAIN"',
    },
    revocable: { writeJson: ({ revocable }) => String(revocable) },
    portal: { writeJson: ({ portal }) => JSON.stringify(portal && checksumAddress(portal)) },
    portalName: { writeJson: (attestation) => JSON.stringify(portalOf(attestation).name || null) },
    portalOwner: {
      writeJson: (attestation) => {
        const { owner } = portalOf(attestation)
        return JSON.stringify(owner && checksumAddress(owner))
      },
    },
    portalOwnerName: { writeJson: (attestation) => JSON.stringify(portalOf(attestation).ownerName || null) },
    revoked: { writeJson: ({ revocation }) => String(revocation !== null) },
    revokeReason: revocationMember(({ reason }) => JSON.stringify(reason)),
    revokeTimestamp: revocationMember(({ timestamp }) => writeUint64(timestamp)),
    revokeTransactionHash: {
      writeJson: ({ revocation }) => (revocation === null ? '""' : `"${revocation.transactionHash}"`),
    },
    protocol: { writeJson: ({ key }) => JSON.stringify(key.protocol) },
    syncAt: { writeJson: ({ syncAt }) => `"${syncAt}"` },
    lastSyncAt: { writeJson: ({ lastSyncAt }) => (lastSyncAt === null ? 'null' : `"${lastSyncAt}"`) },
    schema: (attestation, _values, { schemas }, info): SchemaNode | Promise<SchemaNode> => {
      const key = schemaKeyOf(attestation)
      const known = attestation.schema ?? unknownSchema
      if (!asksForWholeSchema(info)) return { key, stored: null, summary: known }
      return schemas.load(key).then((stored) => ({ key, stored, summary: stored ?? known }))
    },
    decodedData: (attestation, _values, { decode }) => {
      const payload = decode(attestation)
      return payload.kind === 'decoded' ? payload.values : null
    },
    decodedDataError: (attestation, _values, { decode }) => {
      const payload = decode(attestation)
      return payload.kind === 'undecodable' ? payload.reason : null
    },
    linkedRecord: ({ key, detail }, _values, { attestations }) => {
      const { linkedAttestation: localId } = detailOf(detail)
      return localId === null ? null : attestations.load({ ...key, localId })
    },
    referencedBy: {
      size: connectionSize,
      resolve: ({ key }, values, context, info) =>
        connectAttestations({ ...everyAttestation, linkedAttestations: [key] }, values, context, info),
    },
  },
} satisfies { readonly Attestation: TypeBehaviour<ShownAttestation> }

/** An attestation of the index, or of the store of off-chain attestations. */
type ShownAttestation = StoredAttestation & Partial<Pick<OffchainAttestation, 'offchain' | 'signers'>>

const unknownSchema: SchemaNode['summary'] = { name: '', description: '', fieldsJson: '[]' }

function detail(write: (detail: AttestationDetail) => string): FieldBehaviour<StoredAttestation> {
  return { writeJson: (attestation) => write(detailOf(attestation.detail)) }
}

/** A field that is null unless the attestation is revoked. */
function revocationMember(
  write: (revocation: StoredRevocation) => string,
): FieldBehaviour<StoredAttestation> {
  return { writeJson: ({ revocation }) => (revocation === null ? 'null' : write(revocation)) }
}

/** The nearest double. */
function writeUint64(digits: string): string {
  return digits.length < 16 ? digits : String(Number(digits))
}

function schemaKeyOf({ key, schemaId }: StoredAttestation): StoredKey {
  return { ...key, localId: schemaId }
}
