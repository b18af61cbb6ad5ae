import { Segments } from '../components/Segments.tsx'
import { chooseTimeZone, useTimeZone } from '../components/timeZone.ts'

const zones = [
  { value: 'utc', label: 'UTC' },
  { value: 'local', label: 'Local' },
] as const

/** Whether moments are written in UTC, or in the time of the browser. */
export function TimeSwitch() {
  return <Segments label="Times" choices={zones} value={useTimeZone()} onChange={chooseTimeZone} />
}
