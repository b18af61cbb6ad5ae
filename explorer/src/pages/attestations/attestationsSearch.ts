import { readChoice, readNumber, readPage, readPageSize, readText } from '../../format/readSearch.ts'

export const dataLocations = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'] as const

/** What the list of attestations is filtered by, as the interface names it; undefined members narrow nothing. */
export interface AttestationsSearch {
  readonly keyword?: string | undefined
  readonly schemaId?: string | undefined
  readonly attester?: string | undefined
  readonly recipient?: string | undefined
  readonly chainId?: string | undefined
  readonly protocol?: string | undefined
  readonly revoked?: 'true' | 'false' | undefined
  readonly expired?: 'true' | 'false' | undefined
  /** Unix seconds. */
  readonly validAt?: number | undefined
  readonly attestedFrom?: number | undefined
  readonly attestedBefore?: number | undefined
  readonly linkedAttestation?: string | undefined
  readonly indexingValue?: string | undefined
  readonly dataLocation?: (typeof dataLocations)[number] | undefined
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readAttestationsSearch(raw: Readonly<Record<string, unknown>>): AttestationsSearch {
  return {
    keyword: readText(raw, 'keyword'),
    schemaId: readText(raw, 'schemaId'),
    attester: readText(raw, 'attester'),
    recipient: readText(raw, 'recipient'),
    chainId: readText(raw, 'chainId'),
    protocol: readText(raw, 'protocol'),
    revoked: readChoice(raw, 'revoked', ['true', 'false']),
    expired: readChoice(raw, 'expired', ['true', 'false']),
    validAt: readNumber(raw, 'validAt'),
    attestedFrom: readNumber(raw, 'attestedFrom'),
    attestedBefore: readNumber(raw, 'attestedBefore'),
    linkedAttestation: readText(raw, 'linkedAttestation'),
    indexingValue: readText(raw, 'indexingValue'),
    dataLocation: readChoice(raw, 'dataLocation', dataLocations),
    page: readPage(raw),
    size: readPageSize(raw),
  }
}
