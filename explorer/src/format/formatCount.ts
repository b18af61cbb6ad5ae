import { once } from './once.ts'

const whole = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 0 }))
const percentage = once(() => new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }))
const compact = once(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }))

/** `12,345`: counts are read digit by digit, and the interface speaks English. */
export function formatCount(count: number): string {
  return whole().format(count)
}

/** `12.3K`, for axes and tight places. */
export function formatCompactCount(count: number): string {
  return compact().format(count)
}

/** `1 schema`, `2 schemas`. */
export function formatQuantity(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`
}

/** `12.5%` of a whole, given as a fraction of 1. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return '<0.1%'
  return percentage().format(share)
}
