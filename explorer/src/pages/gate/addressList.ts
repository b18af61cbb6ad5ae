import { formatCsvLine } from '@attestry/core/model/formatCsv.ts'

/** The greatest number of addresses that the gate judges at once. */
export const addressesMax = 10_000

/** The addresses of a list, and the lines that have none. */
export interface AddressList {
  /** In the order of the list, each once. */
  readonly addresses: readonly string[]
  readonly linesWithout: number
}

/**
 * Finds the first address in each line of a text: a CSV file with any separator, or a plain list.
 */
export function readAddressList(text: string): AddressList {
  const lines = text.split(/\r\n|[\n\r]/).filter((line) => line.trim() !== '')
  const found = lines.map((line) => /(?<![0-9a-z])0x[0-9a-f]{40}(?![0-9a-z])/i.exec(line)?.[0])
  const addresses = new Map<string, string>()
  for (const address of found) {
    if (address !== undefined && !addresses.has(address.toLowerCase()))
      addresses.set(address.toLowerCase(), address)
  }
  return {
    addresses: [...addresses.values()],
    linesWithout: found.filter((address) => address === undefined).length,
  }
}

/** The text of a file in UTF-8, or in UTF-16 with a byte order mark, as spreadsheets write "Unicode text". */
export async function readTextFile(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

interface VerdictRow {
  readonly subject: string
  readonly verdict: string
  readonly because: readonly string[]
  readonly reasons: readonly string[]
}

/** A CSV file of verdicts that spreadsheets read as UTF-8. */
export function writeVerdicts(rows: readonly VerdictRow[]): string {
  const lines = rows.map(({ subject, verdict, because, reasons }) =>
    formatCsvLine([subject, verdict, because.join(' '), reasons.join(' ')]),
  )
  return `\uFEFF${formatCsvLine(['address', 'verdict', 'attestations', 'reasons'])}${lines.join('')}`
}
