import type { AttestationFields } from '../../../store/indexReader.ts'
import { asksFor, type FieldInfo } from './fieldBehaviour.ts'
import { referenceFields } from './schemaNode.ts'

/** What attestations must be read with for the fields that are asked for below a field. */
export function attestationFieldsFor(info: FieldInfo): AttestationFields {
  return {
    detail: asksFor(info, detailFields),
    schema:
      asksFor(info, decodedFields) || (asksFor(info, ['Attestation.schema']) && !asksForWholeSchema(info)),
  }
}

/** Whether more is asked of schemas than what an attestation knows of its own. */
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

/** The answer for each plan's field: it is asked for at every row. */
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
  ].map((name) => `Attestation.${name}`),
]
