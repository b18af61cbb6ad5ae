const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `12,345`: counts are read digit by digit, and the interface speaks English. */
export function formatCount(count: number): string {
  return whole.format(count)
}

/** `12.3K`, for axes and tight places. */
export function formatCompactCount(count: number): string {
  return compact.format(count)
}

/** `1 schema`, `2 schemas`. */
export function formatQuantity(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`
}
