import type { AttestationQuery } from '../../api/queries.ts'
import { readChoice, readNumber, readPage, readPageSize, readText } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'

export const dataLocations = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'] as const

/** The filters of the list of attestations, by the interface's names; undefined members do not filter. */
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
  readonly portal?: string | undefined
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
    portal: readText(raw, 'portal'),
    page: readPage(raw),
    size: readPageSize(raw),
  }
}

/** The same as parameters of the interface, which combines a keyword only with a schema. */
export function queryOf(search: AttestationsSearch): Omit<AttestationQuery, 'page' | 'size' | 'fields'> {
  const { keyword, schemaId } = search
  if (keyword !== undefined) return withoutAbsent({ keyword, schemaId })
  const { revoked, expired, validAt, attestedFrom, attestedBefore, ...texts } = search
  const { attester, recipient, chainId, protocol, linkedAttestation, indexingValue, dataLocation, portal } =
    texts
  return withoutAbsent({
    schemaId,
    attester,
    recipient,
    chainId,
    protocol,
    linkedAttestation,
    indexingValue,
    dataLocation,
    portal,
    revoked: revoked === undefined ? undefined : revoked === 'true',
    expired: expired === undefined ? undefined : expired === 'true',
    validAt,
    attestedFrom,
    attestedBefore,
  })
}

/** Whether any filter is active. */
export function hasFilter(search: AttestationsSearch): boolean {
  return Object.keys(queryOf(search)).length > 0
}

/** The status filter as one choice: two parameters of the interface. */
export type StatusFilter = '' | 'valid' | 'revoked' | 'expired'

export function statusFilterOf({ revoked, expired }: AttestationsSearch): StatusFilter {
  if (revoked === 'true') return 'revoked'
  if (expired === 'true') return 'expired'
  return revoked === 'false' && expired === 'false' ? 'valid' : ''
}

export function statusParameters(
  status: StatusFilter,
): Required<Pick<AttestationsSearch, 'revoked' | 'expired'>> {
  switch (status) {
    case '':
      return { revoked: undefined, expired: undefined }
    case 'valid':
      return { revoked: 'false', expired: 'false' }
    case 'revoked':
      return { revoked: 'true', expired: undefined }
    case 'expired':
      return { revoked: undefined, expired: 'true' }
  }
}
