import type { AttestationFields } from '../../../store/indexReader.ts'
import { asksFor, type FieldInfo } from './fieldBehaviour.ts'
import { referenceFields } from './schemaNode.ts'

/** The parts of attestations to read for the selections below a field. */
export function attestationFieldsFor(info: FieldInfo): AttestationFields {
  return {
    detail: asksFor(info, detailFields),
    schema:
      asksFor(info, decodedFields) || (asksFor(info, ['Attestation.schema']) && !asksForWholeSchema(info)),
  }
}

/** Whether the selections need more of a schema than its attestations hold. */
export function asksForWholeSchema({ hints }: FieldInfo): boolean {
  // Executors other than ours give no hints.
  const below = (hints as FieldInfo['hints'] | undefined)?.below ?? null
  if (below === null) return true
  const known = wholeSchema.get(below)
  if (known !== undefined) return known
  const asks = [...below].some((name) => name.startsWith('Schema.') && !referenceFields.has(name))
  wholeSchema.set(below, asks)
  return asks
}

/** The result for each field of a plan, cached because every row asks for it. */
const wholeSchema = new WeakMap<ReadonlySet<string>, boolean>()

const decodedFields = ['Attestation.decodedData', 'Attestation.decodedDataError']

const detailFields = [
  ...decodedFields,
  ...[
    'transactionHash',
    'indexingValue',
    'linkedAttestation',
    'linkedRecord',
    'validUntil',
    'data',
    'dataLocation',
    'portalName',
    'portalOwner',
    'portalOwnerName',
  ].map((name) => `Attestation.${name}`),
]
