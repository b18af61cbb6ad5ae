import { readText } from '../../format/readSearch.ts'

/** The parameters of the page of an attestation, beside its id. */
export interface AttestationSearch {
  /** Of the attestation: two protocols may have the same id. */
  readonly protocol?: string | undefined
}

export function readAttestationSearch(raw: Readonly<Record<string, unknown>>): AttestationSearch {
  return { protocol: readText(raw, 'protocol') }
}
