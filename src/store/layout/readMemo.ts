import type { Page } from '../indexReader.ts'

/** How much the reads of one version of the index remember, of each kind. */
export const readMemoMax = {
  /** Nodes of rank trees; one is at most 512 bytes. */
  nodes: 8_192,
  /** Pages of keywords that find a great many schemas: some kilobytes each, more where schemas are long. */
  heavySchemas: 32,
  /** Addresses that resolve many schemas. */
  resolved: 1_024,
} as const

/** Pages of keywords that find so many schemas are remembered while the index stays as it is; longer pages are not. */
const heavyTotal = 500
const heavyRowsMax = 20

/** Whether finding the page took so much that it is worth being remembered. */
export function isHeavy({ total, rows }: Page<unknown>): boolean {
  return total >= heavyTotal && rows.length <= heavyRowsMax
}
