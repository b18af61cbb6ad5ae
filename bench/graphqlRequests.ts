/** A page of attestations with every field that the contract lists for them. */
export const pageQuery = `query ($page: Int) { pagedAttestations(page: $page) { total attestations {
  attestationId attester attestTimestamp linkedAttestation chainId chainType data dataLocation transactionHash
  revokeTransactionHash id indexingValue mode recipients revoked revokeReason revokeTimestamp validUntil
  schema { id schemaId name } } } }`

/** A request that posts a query, as `splitRequest` reads it. */
export function postQuery(
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  path = '/graphql',
): string {
  return `${path} ${JSON.stringify({ query, variables })}`
}
