import { useState } from 'react'
import type { Schema } from '../../api/types.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { filteredFields } from '../../format/fieldFilters.ts'
import { formatCount } from '../../format/formatCount.ts'
import { FieldValues } from './FieldValues.tsx'
import { unaskedMax } from './TopRecipients.tsx'
import { useFieldFilters } from './useFieldFilters.ts'

/** The number of fields with a card. */
const cardsMax = 4

export interface FieldCardsProps {
  readonly schema: Schema
  /** Attestations under the schema; undefined while it is not known. */
  readonly total: number | undefined
}

/** A card per field with its most frequent values, each of which filters the list. Hashes and addresses rarely repeat. */
export function FieldCards({ schema, total }: FieldCardsProps) {
  const state = useFieldFilters()
  const [isAsked, setAsked] = useState(false)
  if (total === undefined || total === 0) return null
  const fields = schema.data
    .flatMap((field, index) => filteredFields(field, index))
    .filter(({ kind }) => kind !== 'bytes')
    .slice(0, cardsMax)
  const isCounted = isAsked || total <= unaskedMax
  return fields.map((field) => (
    <Card key={field.path} title={`Values of ${field.label}`} flush={isCounted}>
      {isCounted ? (
        <FieldValues schemaId={schema.id} field={field} state={state} />
      ) : (
        <Button onClick={() => setAsked(true)}>Count those of {formatCount(total)} attestations</Button>
      )}
    </Card>
  ))
}
