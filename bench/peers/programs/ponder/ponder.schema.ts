import { index, onchainTable } from 'ponder'

export const attestation = onchainTable(
  'attestation',
  (t) => ({
    id: t.hex().primaryKey(),
    /** Block number and log index: lists are sorted by it. */
    position: t.bigint().notNull(),
    schemaId: t.hex().notNull(),
    attester: t.hex().notNull(),
    recipient: t.hex().notNull(),
    time: t.bigint().notNull(),
    expirationTime: t.bigint().notNull(),
    refUid: t.hex().notNull(),
    revocable: t.boolean().notNull(),
    revoked: t.boolean().notNull(),
    revocationTime: t.bigint().notNull(),
    data: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byPosition: index().on(table.position),
    byRecipient: index().on(table.recipient, table.position),
  }),
)
