/** Documents in the form of easscan's clients. */
export const easQuestions = {
  newestOfRecipient:
    'query($s: String!, $r: String!) { attestations(take: 10, orderBy: {time: desc}, where: {schemaId: {equals: $s}, recipient: {equals: $r}, revoked: {equals: false}}) { id attester time data } }',
  oneWithSchema:
    'query($i: String!) { attestation(where: {id: $i}) { id attester data schema { id schema } } }',
} as const
