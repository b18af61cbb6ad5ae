import { checksumAddress } from '../../../model/checksumAddress.ts'
import { formatCompositeId, parseCompositeId, parseLocalId } from '../../../model/compositeId.ts'
import { everyAttestation } from '../../../store/indexQueries.ts'
import type { StoredAttestation, StoredKey, StoredRevocation } from '../../../store/storedRecords.ts'
import { portalOf } from '../../rest/presentAttestation.ts'
import { connectionSize } from '../input/readConnection.ts'
import { asksForWholeSchema } from './attestationFieldsFor.ts'
import { connectAttestations } from './connection.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'
import { lastMember, plainMember, stringMember } from './readMember.ts'
import type { SchemaNode } from './schemaNode.ts'

const schemaIdOf = plainMember('schemaId')
const linkedAttestationOf = plainMember('linkedAttestation')
const validUntilOf = plainMember('validUntil')
const attestTimestampOf = plainMember('attestTimestamp')
const recipientsOf = lastMember('recipients')

export const attestationBehaviours = {
  Attestation: {
    id: { writeJson: ({ key }) => `"${formatCompositeId(key)}"` },
    mode: { writeJson: () => '"onchain"' },
    chainType: { writeJson: () => '"evm"' },
    chainId: { writeJson: ({ key }) => `"${key.chainId}"` },
    attestationId: { writeJson: ({ key }) => `"${key.localId}"` },
    schemaId: summary('schemaId'),
    fullSchemaId: { writeJson: (attestation) => `"${formatCompositeId(schemaKeyOf(attestation))}"` },
    attester: summary('attester'),
    attestTimestamp: { writeJson: ({ summaryJson }) => attestTimestampOf(summaryJson) },
    recipients: { writeJson: ({ summaryJson }) => recipientsOf(summaryJson) },
    transactionHash: detail('transactionHash'),
    indexingValue: detail('indexingValue'),
    linkedAttestation: detail('linkedAttestation'),
    validUntil: { writeJson: ({ detailJson }) => writeUint64(validUntilOf(detailJson)) },
    data: detail('data'),
    dataLocation: detail('dataLocation'),
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
    schema: {
      resolve: (attestation, _values, { schemas }, info): SchemaNode | Promise<SchemaNode> => {
        const key = schemaKeyOf(attestation)
        const known = attestation.schema ?? unknownSchema
        if (!asksForWholeSchema(info)) return { key, stored: null, summary: known }
        return schemas.load(key).then((stored) => ({ key, stored, summary: stored ?? known }))
      },
    },
    decodedData: {
      resolve: (attestation, _values, { decode }) => {
        const payload = decode(attestation)
        return payload.kind === 'decoded' ? payload.values : null
      },
    },
    decodedDataError: {
      resolve: (attestation, _values, { decode }) => {
        const payload = decode(attestation)
        return payload.kind === 'undecodable' ? payload.reason : null
      },
    },
    linkedRecord: {
      resolve: ({ key: { protocol }, detailJson }, _values, { attestations }) => {
        const id = parseCompositeId(linkedAttestationOf(detailJson))
        return id.kind === 'record' ? attestations.load({ ...id.key, protocol }) : null
      },
    },
    referencedBy: {
      size: connectionSize,
      resolve: ({ key }, values, context, info) =>
        connectAttestations({ ...everyAttestation, linkedAttestations: [key] }, values, context, info),
    },
  },
} satisfies { readonly Attestation: TypeBehaviour<StoredAttestation> }

const unknownSchema: SchemaNode['summary'] = { name: '', description: '', fieldsJson: '[]' }

function summary(name: string): FieldBehaviour<StoredAttestation> {
  const read = stringMember(name)
  return { writeJson: ({ summaryJson }) => read(summaryJson) }
}

function detail(name: string): FieldBehaviour<StoredAttestation> {
  const read = stringMember(name)
  return { writeJson: ({ detailJson }) => read(detailJson) }
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

function schemaKeyOf({ key, summaryJson }: StoredAttestation): StoredKey {
  const localId = parseLocalId(schemaIdOf(summaryJson))
  if (localId === null) throw new TypeError(`attestation ${formatCompositeId(key)} has no schema id`)
  return { ...key, localId }
}
