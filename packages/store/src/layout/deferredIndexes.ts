/**
 * Indexes that nothing reads while rows are written. A restore makes them once all rows are there: sorting entries costs
 * a fraction of inserting them one by one at random places.
 */
export const deferredIndexes = [
  'attestation_by_time',
  'attestation_by_chain',
  'attestation_by_schema',
  'attestation_by_attester',
  'attestation_by_attester_schema',
  'attestation_by_transaction',
  'attestation_by_linked',
  'attestation_by_id_group',
  'attestation_by_portal',
  'attestation_by_revocation',
  'attestation_revoked',
  'attestation_revoked_by_chain',
  'attestation_revoked_by_schema',
  'attestation_revoked_by_attester',
  'attestation_by_revoking',
  'attestation_other_recipients',
  'anchor_by_time',
  'anchor_by_kind',
  'anchor_by_account',
  'anchor_by_value',
] as const

/** Those of them that `buildIndex` reads. The shadow of an audit has no others. */
export const indexesOfBuild: readonly (typeof deferredIndexes)[number][] = [
  'attestation_by_time',
  'attestation_by_schema',
  'attestation_by_attester',
  'attestation_by_attester_schema',
]
