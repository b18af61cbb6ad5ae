import { describeInput } from '../describeInput.ts'
import type { NoteMistake, Path } from './readFieldConditions.ts'

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** A duration such as `365d` in seconds; null after a mistake. */
export function readDuration(value: unknown, path: Path, wrong: NoteMistake): number | null {
  const [, digits = '', unit = ''] =
    typeof value === 'string' ? (/^([0-9]{1,9})(s|m|h|d|w)$/.exec(value) ?? []) : []
  const seconds = Number(digits) * (secondsOf[unit] ?? 0)
  if (seconds > 0) return seconds
  return wrong(
    path,
    `must be a number and a unit (s, m, h, d, w) such as 365d, but is ${describeInput(value)}`,
  )
}
