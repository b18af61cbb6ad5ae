import type { BesideLayout } from '@attestry/store/beside/besideDatabase.ts'

export const offchainLayout: BesideLayout = {
  name: 'offchain',
  // "Atso" in ASCII.
  number: 0x4174736f,
  steps: [
    ({ prefix, integer, sequence }) => `
  CREATE TABLE ${prefix}entry (
    sequence ${sequence},
    id text NOT NULL,
    kind text NOT NULL,
    protocol text NOT NULL,
    chain_id ${integer},
    contract text NOT NULL,
    local_id text NOT NULL,
    signer text NOT NULL,
    schema_id text,
    linked_key text,
    indexing_key text,
    made_at ${integer} NOT NULL,
    expires_at ${integer} NOT NULL,
    stored_at ${integer} NOT NULL,
    stored_by text NOT NULL,
    content_id text NOT NULL,
    body_json text,
    revocation_json text,
    deleted_at ${integer},
    deletion_json text,
    UNIQUE (id, contract, signer)
  );
  CREATE INDEX entry_by_time ON ${prefix}entry (kind, made_at, sequence) WHERE deleted_at IS NULL;
  CREATE INDEX entry_by_chain ON ${prefix}entry (chain_id, made_at, sequence) WHERE deleted_at IS NULL;
  CREATE INDEX entry_by_schema ON ${prefix}entry (schema_id, made_at, sequence) WHERE deleted_at IS NULL;
  CREATE INDEX entry_by_linked ON ${prefix}entry (linked_key, made_at, sequence) WHERE linked_key IS NOT NULL;
  CREATE INDEX entry_by_local_id ON ${prefix}entry (local_id);
  CREATE INDEX entry_by_signer ON ${prefix}entry (signer, made_at, sequence);
  CREATE INDEX entry_by_signer_day ON ${prefix}entry (signer, stored_at);
  CREATE INDEX entry_by_key_day ON ${prefix}entry (stored_by, stored_at);
  CREATE TABLE ${prefix}recipient (
    recipient_key text NOT NULL,
    sequence ${integer} NOT NULL,
    PRIMARY KEY (recipient_key, sequence)
  );
`, // What was stored within a day (UTC, by its number), by whom. Days that are over go.
    ({ prefix, integer }) => `
  CREATE TABLE ${prefix}usage (
    day ${integer} NOT NULL,
    holder text NOT NULL,
    entries ${integer} NOT NULL,
    bytes ${integer} NOT NULL,
    PRIMARY KEY (day, holder)
  );
  DROP INDEX ${prefix}entry_by_signer_day;
  DROP INDEX ${prefix}entry_by_key_day;
`, // The body without its long members; null in rows of earlier versions.
    ({ prefix }) => `
  ALTER TABLE ${prefix}entry ADD COLUMN head_json text;
`,
  ],
}
