import type { AttestationsSearch } from './attestationsSearch.ts'
import { TextField } from '../../components/filters/TextField.tsx'
import { dayOfSeconds, endOfDayInput, lastDayBefore, startOfDayInput } from '../../format/dayInput.ts'

export interface DateFieldsProps {
  /** Unix seconds. */
  readonly from: number | undefined
  readonly before: number | undefined
  readonly onChange: (patch: AttestationsSearch) => void
}

/** A first and a last day, both included. */
export function DateFields({ from, before, onChange }: DateFieldsProps) {
  return (
    <>
      <TextField
        label="From (UTC)"
        type="date"
        value={dayOfSeconds(from)}
        onChange={(day) => onChange({ attestedFrom: startOfDayInput(day) })}
      />
      <TextField
        label="To (UTC)"
        type="date"
        value={lastDayBefore(before)}
        onChange={(day) => onChange({ attestedBefore: endOfDayInput(day) })}
      />
    </>
  )
}
