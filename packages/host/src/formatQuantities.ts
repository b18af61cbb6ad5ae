import { visibleText } from './visibleText.ts'

/** A number with thousands separators: `5,658,228`. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A duration in its one or two largest units: `45 s`, `4 min`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return joinUnits([hours, 'h'], [minutes % 60, 'min'])
  const wholeHours = Math.round(minutes / 60)
  return joinUnits([Math.floor(wholeHours / 24), 'd'], [wholeHours % 24, 'h'])
}

/**
 * Lines of a table whose columns are as wide as their widest cell; `right` says which columns are aligned to the right.
 */
export function formatColumns(rows: readonly (readonly string[])[], right: readonly boolean[]): string[] {
  const widths = right.map((_, column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return right[column] === true ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

/** The line, cut to at most `width` characters. */
export function cutLine(line: string, width: number): string {
  const shown = visibleText(line)
  return shown.length <= width ? shown : `${shown.slice(0, Math.max(0, width - 1))}…`
}

type Amount = readonly [value: number, unit: string]

function joinUnits([large, largeUnit]: Amount, [small, smallUnit]: Amount): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}
