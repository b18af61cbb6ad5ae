import type { Attestation } from '../../api/types.ts'
import { formatQuantity } from '../../format/formatCount.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'

/** A field in a few characters. */
export interface PreviewedField {
  readonly name: string
  readonly value: string
}

const fieldsMax = 3

/** The first fields of a payload, shortened; a sentence if it has no fields. */
export function payloadPreview({
  data,
  decodedData,
  dataLocation,
}: Pick<Attestation, 'data' | 'dataLocation' | 'decodedData'>): readonly PreviewedField[] | string {
  if (data === '0x') return 'No payload'
  if (decodedData === undefined || decodedData === null) return 'Not readable by its schema'
  if (dataLocation !== 'ONCHAIN' && dataLocation !== 'OFFCHAIN') return `Kept on ${storeNames[dataLocation]}`
  if (decodedData.length === 0) return 'No fields'
  return decodedData.slice(0, fieldsMax).map(({ name, value }) => ({ name, value: previewValue(value) }))
}

const storeNames = { ARWEAVE: 'Arweave', IPFS: 'IPFS', CUSTOM: 'another store' } as const

function previewValue(value: unknown): string {
  if (typeof value === 'string') {
    if (value === '') return 'empty'
    // One line: breaks are spaces here.
    return /^0x[0-9a-f]{12,}$/i.test(value) ? shortenMiddle(value) : value.replaceAll(/\s+/g, ' ')
  }
  if (Array.isArray(value)) return formatQuantity(value.length, 'item')
  return String(value)
}
