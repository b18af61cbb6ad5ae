/** The cell that states whether a target is met. */
export function verdict(met: boolean): string {
  return met ? 'met' : '**missed**'
}

/** A figure, marked if it misses its target. */
export function judged(figure: string, isMet: boolean): string {
  return isMet ? figure : `${figure} ${verdict(false)}`
}

/** A rounded number with separated thousands. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
