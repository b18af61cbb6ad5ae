import type { ViewName } from './sqlViews.ts'

/** The comments on a view and on its columns, by name; tools for databases show them. */
export interface ViewComments {
  readonly view: string
  readonly columns: Readonly<Record<string, string>>
}

const chainId = 'Number of the chain'
const protocol = 'Protocol of the record: sign, eas, verax or erc8004'
const sender = 'Sender of the transaction, in lower case; NULL where senders are not fetched'
const schemaKey = 'attestry.schemas.key of the schema'
const schemaId = 'attestry.schemas.id of the schema'
const attester = 'Account that made the attestation, in lower case'

export const viewComments: Readonly<Record<ViewName, ViewComments>> = {
  schemas: {
    view: 'Registered schemas',
    columns: {
      key: 'Number of the schema in this database, for joins',
      id: 'Id of the schema in the API',
      chain_id: chainId,
      protocol,
      schema_id: 'Id of the schema on its chain',
      name: 'Name that counts now; empty without one',
      description: 'Empty without one',
      fields: 'List of {"name", "type"}',
      raw: 'Definition as the contract has it',
      registrant: 'Account that registered the schema, in lower case',
      registered_at: 'Time of the registration',
      resolver: 'Contract that is called at each attestation, in lower case; the zero address without one',
      revocable: 'Whether attestations under the schema can be revoked',
      data_location: 'Where payloads are kept',
      attestation_count: 'Attestations ever made under the schema, revoked ones too',
      attester_count: 'Distinct attesters of these attestations',
      block: 'Block of the registration',
      transaction_hash: 'Transaction of the registration',
      transaction_sender: sender,
    },
  },
  attestations: {
    view: 'Attestations, revoked ones too',
    columns: {
      key: 'Number of the attestation in this database, for joins; ascends in the order of the chain',
      id: 'Id of the attestation in the API',
      chain_id: chainId,
      protocol,
      attestation_id: 'Id of the attestation on its chain',
      schema_key: schemaKey,
      schema_id: schemaId,
      attester,
      recipients: 'List of recipients; addresses in lower case',
      attested_at: 'Time of the attestation',
      valid_until: 'End of its validity; NULL: for ever',
      revocable: 'Whether the attestation can be revoked',
      revoked: 'Whether the attestation was revoked',
      revoked_at: 'Time of the revocation; NULL unless revoked',
      revoke_reason: 'Reason of the revocation; empty without one',
      linked_attestation: 'id of the attestation that this one refers to; NULL without one',
      portal:
        'Portal of Verax that the attestation was made through, in lower case; NULL for other protocols',
      indexing_value: 'Indexing value as attested; may be empty',
      data_location: 'Where the payload is kept',
      data: 'Encoded payload, 0x and hexadecimal digits',
      block: 'Block of the attestation',
      transaction_hash: 'Transaction of the attestation',
      transaction_sender: sender,
    },
  },
  revocations: {
    view: 'Revocations of attestations',
    columns: {
      attestation_key: 'attestry.attestations.key of the revoked attestation',
      attestation_id: 'attestry.attestations.id of the revoked attestation',
      chain_id: chainId,
      protocol,
      schema_key: schemaKey,
      schema_id: schemaId,
      attester,
      revoked_at: 'Time of the revocation',
      reason: 'Reason of the revocation; empty without one',
      block: 'Block of the revocation; NULL where no event reported it',
      transaction_hash: 'Transaction of the revocation',
    },
  },
  fields: {
    view: 'Values of decoded payloads, of the schemas whose fields are indexed',
    columns: {
      attestation_key: 'attestry.attestations.key of the attestation',
      attestation_id: 'attestry.attestations.id of the attestation',
      chain_id: chainId,
      protocol,
      schema_key: schemaKey,
      schema_id: schemaId,
      path: 'Name of the field, as the parameter field of the API has it',
      kind: 'integer, boolean, text or bytes',
      value: 'The value as text; bytes and addresses in lower case',
    },
  },
  chains: {
    view: 'Indexed chains',
    columns: {
      chain_id: chainId,
      name: 'Name of the chain',
      phase: 'State of its indexing',
      head_block: 'Newest block that its endpoints know',
      indexed_block: 'Last block whose events are here',
      indexed_at: 'Time of that block',
      schema_count: 'Schemas of the chain',
      attestation_count: 'Attestations of the chain, revoked ones too',
      revocation_count: 'Revocations of the chain',
      undecodable_count: 'Logs of known contracts that no rule can read',
      digest: 'Digest of all events up to digest_block',
      digest_block: 'Last block of the digest',
    },
  },
}
