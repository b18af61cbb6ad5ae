/** The GraphQL documents of the explorer; a test holds each against the schema. */

export const schemaDetailsDocument = /* GraphQL */ `
  query SchemaDetails($id: String!, $protocol: String, $asOf: String) {
    schema(id: $id, protocol: $protocol, asOf: $asOf) {
      resolver
      originalData
      attestationCount
      attesterCount
      topAttesters(limit: 8) {
        address
        count
      }
    }
  }
`

/** The answer to `schemaDetailsDocument`. */
export interface SchemaDetails {
  readonly schema: {
    readonly resolver: string | null
    readonly originalData: string | null
    readonly attestationCount: number | null
    readonly attesterCount: number | null
    readonly topAttesters: readonly { readonly address: string; readonly count: number }[] | null
  } | null
}

/** A query for the newest days of so many schemas, with the variables `id0`, `protocol0`, `id1`, … */
export function sparklinesDocument(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const variables = numbers.map((index) => `$id${index}: String!, $protocol${index}: String`).join(', ')
  const fields = numbers.map(
    (index) =>
      `s${index}: schema(id: $id${index}, protocol: $protocol${index}) ` +
      `{ activity(days: 30) { timestamp attestations } }`,
  )
  return `query Sparklines(${variables}) { ${fields.join(' ')} }`
}
