import type { AttestationFields } from '@attestry/core/index/storedRecords.ts'
import { rememberSelections } from './fieldBehaviour.ts'
import { referenceFields } from './schemaNode.ts'

type Selections = ReadonlySet<string> | null

/** The parts of attestations to read for the selections below a field. */
export const attestationFieldsFor = rememberSelections((below): AttestationFields => {
  const holdsSchema = asksFor(below, ['Attestation.schema']) && !needsWholeSchema(below)
  return { detail: asksFor(below, detailFields), schema: asksFor(below, decodedFields) || holdsSchema }
})

/** Whether the selections need more of a schema than its attestations hold. */
export const asksForWholeSchema = rememberSelections(needsWholeSchema)

function needsWholeSchema(below: Selections): boolean {
  return below === null || [...below].some((name) => name.startsWith('Schema.') && !referenceFields.has(name))
}

/** Whether one of these fields is selected: `Type.field` names. True if the selections are unknown. */
function asksFor(below: Selections, names: readonly string[]): boolean {
  return below === null || names.some((name) => below.has(name))
}

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
