/** The queries of a first visit, each in its own tab. */
export const easExamples: readonly string[] = [
  `# The newest attestations, with what they say
query LatestAttestations($take: Int = 10) {
  attestations(take: $take, orderBy: { time: desc }, where: { revoked: { equals: false } }) {
    id
    attester
    recipient
    time
    decodedDataJson
    schema {
      id
      schema
    }
  }
}
`,
  `# Schemas by their number of attestations
query Schemata {
  schemata(take: 10, orderBy: { attestations: { _count: desc } }) {
    id
    schema
    creator
    schemaNames {
      name
    }
    _count {
      attestations
    }
  }
}
`,
  `# How many attestations an account made or received
query Count($address: String = "0x0000000000000000000000000000000000000000") {
  aggregateAttestation(
    where: { OR: [{ attester: { equals: $address } }, { recipient: { equals: $address } }] }
  ) {
    _count {
      _all
    }
  }
}
`,
]
