/** Whether a target is met, as the tables say it. */
export function verdict(met: boolean): string {
  return met ? 'met' : '**missed**'
}

/** A number without fraction, its thousands apart. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
