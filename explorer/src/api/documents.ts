/** The GraphQL documents of the explorer; a test holds each against the schema. */

export const schemaDetailsDocument = /* GraphQL */ `
  query SchemaDetails($id: String!, $protocol: String) {
    schema(id: $id, protocol: $protocol) {
      protocol
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

/** What `schemaDetailsDocument` answers. */
export interface SchemaDetails {
  readonly schema: {
    readonly protocol: string | null
    readonly resolver: string | null
    readonly originalData: string | null
    readonly attestationCount: number | null
    readonly attesterCount: number | null
    readonly topAttesters: readonly { readonly address: string; readonly count: number }[] | null
  } | null
}
