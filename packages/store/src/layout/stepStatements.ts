import type { LayoutWords } from './layoutWords.ts'

/**
 * The steps from the baseline to the layout of this version, in the words of a database. Each change of the layout
 * since version 0.1.0 is a step at the end.
 */
export const stepStatements: readonly ((words: LayoutWords) => string)[] = [
  // For the search of values in all fields: a look-up in each field costs milliseconds.
  () => 'CREATE INDEX field_value_by_key ON field_value (value_key); CREATE INDEX field_by_id ON field (id);',
  // Counts of revoked attestations read nothing but these; the last column of each is for a condition on it.
  () =>
    'CREATE INDEX attestation_revoked_by_chain ON attestation (chain_id, attest_timestamp, id, protocol, attester_id) ' +
    'WHERE revoke_timestamp IS NOT NULL; ' +
    'CREATE INDEX attestation_revoked_by_schema ON attestation (schema_id, attest_timestamp, id, attester_id) ' +
    'WHERE revoke_timestamp IS NOT NULL; ' +
    'CREATE INDEX attestation_revoked_by_attester ON attestation ' +
    '(attester_id, chain_id, attest_timestamp, id, protocol) WHERE revoke_timestamp IS NOT NULL;',
]
