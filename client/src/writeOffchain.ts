/**
 * The JSON of an off-chain attestation as SDKs hold it in memory: with `bigint` values, which JSON writes as digits.
 */
export function writeOffchain(attestation: object): string {
  return JSON.stringify(attestation, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
